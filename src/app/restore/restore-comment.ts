import type { Effect } from '../../core/contracts/effect.ts';
import { phaseOf, type RunState } from '../../core/contracts/run-state.ts';
import type { HostedCommit } from '../../core/ports/run-log.ts';
import type { SentComment } from '../../core/ports/sent-comments.ts';
import type { AppDependencies } from '../dependencies.ts';
import { handleInput } from '../handle-input.ts';
import { effectsOfComment } from './effects-of-comment.ts';
import { labelOf, type RestoreCause, turnToRestore } from './restore-turns.ts';

const MINUTE_MS = 60_000;

/**
 * Writes one of our comments from the record again, with empty boxes. Its hash is cleared, because otherwise an unchanged text
 * is not written. False if that was decided before, or nothing is to be written, or no turn is left in this hour.
 */
export async function restoreComment(
  deps: AppDependencies,
  state: RunState,
  { op, escalation }: Pick<SentComment, 'op' | 'escalation'>,
  seen: string,
  { more = [], because }: { more?: readonly Effect[]; because: RestoreCause },
): Promise<boolean> {
  const isBack = async () => Boolean((await deps.store.comments.find(op))?.body_hash);
  const key = await keyToRestore(deps, seen, isBack);
  if (key === undefined) return false;
  const effects = await effectsOfComment(deps, state, op, escalation);
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
    because: RestoreCause | undefined;
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
