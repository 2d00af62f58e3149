import type { Effect } from '../core/contracts/effect.ts';
import type { RunState } from '../core/contracts/run-state.ts';
import type { SentComment } from '../core/ports/sent-comments.ts';
import type { AppDependencies } from './dependencies.ts';
import { write } from './handle-input.ts';
import { replyOp } from './revise/remark-marker.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** How often a comment of ours is restored in an hour after edits by others. People take long to do that so often. */
const MOST = { app: 1, person: 10 };

/**
 * Writes one of our comments from the record again, with empty boxes. Its hash is cleared, because otherwise an unchanged text
 * is not written. False if that was decided before, or nothing is to be written, or whoever edits it has used up the turns of this hour.
 */
export async function restoreComment(
  deps: AppDependencies,
  state: RunState,
  { op, escalation }: Pick<SentComment, 'op' | 'escalation'>,
  seen: string,
  { more = [], editedBy }: { more?: readonly Effect[]; editedBy?: 'app' | 'person' } = {},
): Promise<boolean> {
  const isBack = async () => Boolean((await deps.store.comments.find(op))?.body_hash);
  const key = await keyToRestore(deps, seen, isBack);
  if (key === undefined) return false;
  const keys = [key];
  // The same edit is decided once more without a turn.
  if (editedBy && key === seen) {
    const turn = await turnToRestore(deps, op, editedBy);
    if (turn === undefined) return false;
    keys.push(turn);
  }
  const effects = await effectsOf(deps, state, op, escalation);
  if (effects.length === 0) return false;
  await deps.store.comments.save(op, { body_hash: '' });
  await write(deps, state.run, [...effects, ...more], keys);
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

/**
 * Another App, or a program, may answer each restoring of our comment with another edit, for ever. So a restoring takes one of the
 * hour's turns, whose key is kept with its decision. Undefined if none is left: the comment stays as it is.
 */
export async function turnToRestore(
  { store, log, now }: AppDependencies,
  op: string,
  by: keyof typeof MOST,
): Promise<string | undefined> {
  const hour = Math.floor(now().getTime() / HOUR_MS);
  for (let turn = 1; turn <= MOST[by]; turn += 1) {
    const key = `restore-turn:${op}:${by}:${hour}:${turn}`;
    if (!(await store.runs.wasSeen(key))) return key;
  }
  log.warn({ op, by }, 'a comment is edited again and again, so it is left as it is for this hour');
  return undefined;
}

/** The effects that write the comment of this operation. */
async function effectsOf(
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
