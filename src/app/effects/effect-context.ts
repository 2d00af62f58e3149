import type { RunState } from '../../core/contracts/run-state.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { Place } from '../../core/ports/hosted-ports.ts';
import type { AppParts } from '../dependencies.ts';

/** Everything a performer of one effect needs. The state is the newest, because an effect shows how things are now. */
export interface Doing {
  parts: AppParts;
  github: GitHub;
  state: RunState;
  place: Place;
  /** Operation id of this effect. */
  op: string;
}
