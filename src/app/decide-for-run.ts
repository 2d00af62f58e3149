import type { Input } from '../core/contracts/input.ts';
import { type Decided, decideOnce } from '../core/decide/decide-once.ts';
import type { AppDependencies } from './dependencies.ts';

/** Every input of a run passes through this function, whether it came by webhook, tick, form, timer or reconcile. */
export function decideForRun(
  deps: AppDependencies,
  run: string,
  input: Input,
  seen: string[],
): Promise<Decided | undefined> {
  return decideOnce(deps.store.runs, deps.rules, run, input, seen);
}
