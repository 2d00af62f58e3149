import type { Effect } from '../../core/contracts/effect.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import type { AppDependencies } from '../dependencies.ts';
import { replyOp } from '../revise/remark-marker.ts';

/** The effects that write the comment of this operation. */
export async function effectsOfComment(
  deps: AppDependencies,
  state: RunState,
  op: string,
  escalation: string | undefined,
): Promise<Effect[]> {
  const name = op.slice(state.run.length + 1);
  if (name === 'status') return [{ type: 'update_status' }];
  if (name === 'receipt') return [{ type: 'show_receipt' }];
  const ci = state.ci?.find(({ number }) => name === `c${number}`);
  if (ci) return [{ type: 'show_ci', number: ci.number }];
  const round = state.revisions?.find(({ number }) => op === replyOp(state.run, number, 'summary'));
  if (round) return [{ type: 'answer_remarks', round: round.number, again: true }];
  const [, asked = name, reminder] = REMINDER.exec(name) ?? [];
  const question = state.escalations.find(({ id }) => id === asked);
  if (!question) return (await writtenBefore(deps, state.run, op)) ?? reviewOf(escalation, op);
  const { priority } = question;
  if (reminder !== undefined)
    return [{ type: 'notify', escalation: asked, priority, reminder: Number(reminder), again: true }];
  const isOpen = state.pending === name;
  return [isOpen ? { type: 'ask', escalation: name } : { type: 'close_question', escalation: name }];
}

const REMINDER = /^(e\d+)\.n(\d+)$/;
const PLACE = /^(\d+)\.(\d+)$/;

/** The journal holds every effect by its operation, `<run>.<version>.<index>`. */
async function writtenBefore(
  { store }: AppDependencies,
  run: string,
  op: string,
): Promise<Effect[] | undefined> {
  const [, version, index] = PLACE.exec(op.slice(run.length + 1)) ?? [];
  if (version === undefined) return undefined;
  const entry = (await store.runs.events(run)).find((one) => one.version === Number(version));
  const effect = entry?.commit.effects[Number(index)];
  if (effect?.type === 'reply') {
    const { type, reply, on, log } = effect;
    return [{ type, reply, on, log, op }];
  }
  return effect?.type === 'show_review' ? [{ ...effect, op }] : undefined;
}

/** A review whose effect is in no journal, as an older version wrote it. */
function reviewOf(escalation: string | undefined, op: string): Effect[] {
  return escalation === undefined ? [] : [{ type: 'show_review', escalation, op }];
}
