import type { Effect, Reply } from '../core/contracts/effect.ts';
import type { Input } from '../core/contracts/input.ts';
import { type Handled, handle } from '../core/decide/handle.ts';
import type { HostedCommit } from '../core/ports/run-log.ts';
import type { AppDependencies } from './dependencies.ts';

/** The App's door into a run: for webhooks, ticks, timers and reconcile. */
export function handleInput(
  deps: Pick<AppDependencies, 'store' | 'rules'>,
  run: string,
  input: Input,
  seen: string[] = [],
  records: Pick<HostedCommit, 'unwritten'> = {},
): Promise<Handled | undefined> {
  return handle(deps.store.runs, deps.rules, run, input, { seen, ...records });
}

/** Writes something that changes nothing in the run, once per `seen`. */
export async function write(
  deps: Pick<AppDependencies, 'store' | 'rules' | 'now'>,
  run: string,
  effects: Effect[],
  seen: string[] = [],
): Promise<void> {
  await handleInput(deps, run, { type: 'write', at: deps.now().toISOString(), effects }, seen);
}

/** Replies on the run's issue, once per key. */
export function replyOnce(
  deps: Pick<AppDependencies, 'store' | 'rules' | 'now'>,
  run: string,
  key: string,
  reply: Reply,
): Promise<void> {
  return write(deps, run, [{ type: 'reply', reply }], [`reply:${run}:${key}`]);
}
