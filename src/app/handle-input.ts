import type { Input } from '../core/contracts/input.ts';
import { type Handled, handle } from '../core/decide/handle.ts';
import type { AppDependencies } from './dependencies.ts';

/** The App's door into a run: for webhooks, ticks, timers and reconcile. */
export function handleInput(
  deps: Pick<AppDependencies, 'store' | 'rules'>,
  run: string,
  input: Input,
  seen: string[] = [],
): Promise<Handled | undefined> {
  return handle(deps.store.runs, deps.rules, run, input, { seen });
}
