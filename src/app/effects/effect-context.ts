import type { RunState } from '../../core/contracts/run-state.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Everything that performing one effect needs. `state` is the newest, because comments show the current state. */
export interface EffectContext {
  deps: AppDependencies;
  github: GitHub;
  state: RunState;
  target: RunTarget;
  /** The operation id of the effect. */
  op: string;
}

/** The outcome of a performer. */
export interface Performed {
  /** The effect is performed again after this time. */
  againAfterMs?: number;
}
