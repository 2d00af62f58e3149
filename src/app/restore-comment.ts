import type { Effect } from '../core/contracts/effect.ts';
import type { RunState } from '../core/contracts/run-state.ts';
import type { SentComment } from '../core/ports/sent-comments.ts';
import type { AppDependencies } from './dependencies.ts';
import { write } from './handle-input.ts';

/**
 * Writes one of our comments from the record again, with empty boxes. Its hash is cleared, because otherwise an unchanged text
 * is not written.
 */
export async function restoreComment(
  deps: AppDependencies,
  state: RunState,
  { op, escalation }: Pick<SentComment, 'op' | 'escalation'>,
  seen: string,
): Promise<void> {
  const effects = effectsOf(state, op, escalation);
  if (effects.length === 0 || (await deps.store.runs.wasSeen(seen))) return;
  await deps.store.comments.save(op, { body_hash: '' });
  await write(deps, state.run, effects, [seen]);
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
