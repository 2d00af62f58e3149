import type { RunState } from '../../core/contracts/run-state.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { RunTarget } from '../../core/ports/hosted-ports.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Everything a performer of one effect needs. The state is the newest, because an effect shows how things are now. */
export interface EffectContext {
  deps: AppDependencies;
  github: GitHub;
  state: RunState;
  target: RunTarget;
  /** Operation id of this effect. */
  op: string;
}
