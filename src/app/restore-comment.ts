import type { Effect } from '../core/contracts/effect.ts';
import type { RunState } from '../core/contracts/run-state.ts';
import type { SentComment } from '../core/ports/sent-comments.ts';
import type { AppDependencies } from './dependencies.ts';
import { write } from './handle-input.ts';

const MINUTE_MS = 60_000;

/**
 * Writes one of our comments from the record again, with empty boxes. Its hash is cleared, because otherwise an unchanged text
 * is not written. False if that was decided before, or nothing is to be written.
 */
export async function restoreComment(
  deps: AppDependencies,
  state: RunState,
  { op, escalation }: Pick<SentComment, 'op' | 'escalation'>,
  seen: string,
  more: readonly Effect[] = [],
): Promise<boolean> {
  const effects = effectsOf(state, op, escalation);
  if (effects.length === 0) return false;
  const isBack = async () => Boolean((await deps.store.comments.find(op))?.body_hash);
  const key = await keyToRestore(deps, seen, isBack);
  if (key === undefined) return false;
  await deps.store.comments.save(op, { body_hash: '' });
  await write(deps, state.run, [...effects, ...more], [key]);
  return true;
}

/**
 * a desk may be writing something of ours while another one decides to restore it. The first then records what it wrote as
 * what is there, and the other's effect finds nothing to write. So what was decided once is decided again where the record is back.
 */
export async function keyToRestore(
  { store, now }: AppDependencies,
  seen: string,
  isBack: () => Promise<boolean>,
): Promise<string | undefined> {
  if (!(await store.runs.wasSeen(seen))) return seen;
  if (!(await isBack())) return undefined;
  const again = `${seen}:${Math.floor(now().getTime() / MINUTE_MS)}`;
  return (await store.runs.wasSeen(again)) ? undefined : again;
}

/** The effects that write the comment of this operation. Replies are not written again. */
function effectsOf(state: RunState, op: string, escalation: string | undefined): Effect[] {
  const name = op.slice(state.run.length + 1);
  if (name === 'status') return [{ type: 'update_status' }];
  if (name === 'receipt') return [{ type: 'show_receipt' }];
  const ci = state.ci?.find(({ number }) => name === `c${number}`);
  if (ci) return [{ type: 'show_ci', number: ci.number }];
  if (state.escalations.some(({ id }) => id === name)) {
    const isOpen = state.pending === name;
    return [isOpen ? { type: 'ask', escalation: name } : { type: 'close_question', escalation: name }];
  }
  return escalation === undefined ? [] : [{ type: 'show_review', escalation, op }];
}
