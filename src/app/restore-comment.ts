import type { Effect } from '../core/contracts/effect.ts';
import { phaseOf, type RunState } from '../core/contracts/run-state.ts';
import type { HostedCommit } from '../core/ports/run-log.ts';
import type { SentComment } from '../core/ports/sent-comments.ts';
import type { AppDependencies } from './dependencies.ts';
import { handleInput, write } from './handle-input.ts';
import { replyOp } from './revise/remark-marker.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * How often something of ours is restored in an hour, by what happened to it. People take long to do that so often. A comment that
 * was deleted comes back as a new one, of which GitHub notifies people.
 */
const MOST = { app: 1, person: 10, deleted: 10, unlabelled: 10 };

/** Begins the names of timers after which something of ours is looked at again. */
const TIMER = 'restore:';

/** The operation of a comment, or the state label of the run, that such a timer is about. Undefined: it is another timer. */
export function readRestoreTimer(timer: string): string | undefined {
  return timer.startsWith(TIMER) ? timer.slice(TIMER.length) : undefined;
}

/** The name under which the state label of a run takes its turns. */
export function labelOf(run: string): string {
  return `${run}.label`;
}

/**
 * Writes one of our comments from the record again, with empty boxes. Its hash is cleared, because otherwise an unchanged text
 * is not written. False if that was decided before, or nothing is to be written, or no turn is left in this hour.
 */
export async function restoreComment(
  deps: AppDependencies,
  state: RunState,
  { op, escalation }: Pick<SentComment, 'op' | 'escalation'>,
  seen: string,
  { more = [], because }: { more?: readonly Effect[]; because: keyof typeof MOST },
): Promise<boolean> {
  const isBack = async () => Boolean((await deps.store.comments.find(op))?.body_hash);
  const key = await keyToRestore(deps, seen, isBack);
  if (key === undefined) return false;
  const effects = await effectsOf(deps, state, op, escalation);
  if (effects.length === 0) return false;
  const unwritten = { comment: op };
  return decideToRestore(deps, state.run, {
    ...{ what: op, key, effects: [...effects, ...more], unwritten },
    // The same edit is decided once more without a turn.
    because: key === seen ? because : undefined,
  });
}

/** Whether a deleted comment comes back: the status and the open question of a run that has not ended. People may tidy the rest. */
export function comesBack(state: RunState, { op }: SentComment): boolean {
  const { run, pending } = state;
  return phaseOf(state) !== 'ended' && [`${run}.status`, `${run}.${pending}`].includes(op);
}

/** Writes the open question or the status again, because somebody deleted its comment. */
export function restoreDeleted(deps: AppDependencies, state: RunState, ours: SentComment): Promise<boolean> {
  const { run } = state;
  const isStatus = ours.op === `${run}.status`;
  const seen = `${isStatus ? 'status' : 'asked'}-again:${run}:${ours.comment_id}`;
  const more: Effect[] = isStatus ? [] : [{ type: 'update_status' }];
  return restoreComment(deps, state, ours, seen, { more, because: 'deleted' });
}

/** The state label is set again. */
export async function restoreLabel(
  deps: AppDependencies,
  { run }: RunState,
  label: string,
  updatedAt: string,
): Promise<boolean> {
  const seen = `label-again:${run}:${label}:${updatedAt}`;
  const key = await keyToRestore(deps, seen, async () => label !== '');
  if (key === undefined) return false;
  return decideToRestore(deps, run, {
    ...{ what: labelOf(run), key, effects: [{ type: 'update_status' }], unwritten: 'label' },
    because: 'unlabelled',
  });
}

/**
 * Takes a turn and clears the record in the transaction of the decision, so that none of the three is there without the others.
 * Another desk may take the same turn at that moment, which makes this decision a duplicate. Then it is made with the next turn.
 */
async function decideToRestore(
  deps: AppDependencies,
  run: string,
  {
    what,
    because,
    key,
    effects,
    unwritten,
  }: {
    what: string;
    because: keyof typeof MOST | undefined;
    key: string;
    effects: Effect[];
    unwritten: HostedCommit['unwritten'];
  },
): Promise<boolean> {
  for (;;) {
    const turn = because && (await turnToRestore(deps, run, what, because));
    if (because && turn === undefined) return false;
    const input = { type: 'write', at: deps.now().toISOString(), effects } as const;
    const seen = turn === undefined ? [key] : [key, turn];
    const decided = await handleInput(deps, run, input, seen, { unwritten });
    if (!decided?.duplicate) return decided !== undefined;
    if (turn === undefined || (await deps.store.runs.wasSeen(key))) return false;
  }
}

/**
 * a desk may be writing something of ours while another one decides to restore it. The first then records what it wrote as
 * what is there, and the other's effect finds nothing to write. So what was decided once is decided again where the record is back.
 */
async function keyToRestore(
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
 * Another App, or a program, may answer each restoring of ours with another edit, deletion or removal, for ever. So a restoring takes
 * one of the hour's turns, whose key is kept with its decision. Undefined if none is left: it stays as it is, and a timer has it
 * looked at again in the next hour, because nothing else may happen to it. The hour is the database's, as the timer is.
 */
export async function turnToRestore(
  deps: AppDependencies,
  run: string,
  what: string,
  because: keyof typeof MOST,
): Promise<string | undefined> {
  const { store, log } = deps;
  const hour = Math.floor((await store.now()).getTime() / HOUR_MS);
  for (let turn = 1; turn <= MOST[because]; turn += 1) {
    const key = `restore-turn:${what}:${because}:${hour}:${turn}`;
    if (!(await store.runs.wasSeen(key))) return key;
  }
  log.warn({ what, because }, 'it is changed again and again, so it is left as it is for this hour');
  const at = new Date((hour + 1) * HOUR_MS).toISOString();
  await write(
    deps,
    run,
    [{ type: 'set_timer', timer: `${TIMER}${what}`, at }],
    [`restore-later:${what}:${hour}`],
  );
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
