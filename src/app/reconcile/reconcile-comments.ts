import { isAtRest, isUnderWay, type RunState } from '../../core/contracts/run-state.ts';
import type { GitHub, GitHubComment } from '../../core/ports/github-port.ts';
import type { PlacedRun } from '../../core/ports/run-log.ts';
import type { AppDependencies } from '../dependencies.ts';
import { onCommentCreated } from '../handlers/comment-created.ts';
import { onCommentEdited } from '../handlers/comment-edited.ts';
import { isBefore, labellingOf } from '../labelling.ts';
import { newTicks } from '../ticked-boxes.ts';
import {
  continueFrom,
  type ListedComments,
  type Numbered,
  newestOf,
  numbersOf,
  OVERLAP_MS,
  unreadSince,
} from './list-comments.ts';
import type { RepositoryRound } from './repository-round.ts';

/** GitHub's times are whole seconds of its own clock, so something may have changed later in the same second. */
export const SAME_MOMENT_MS = 10 * 60_000;

/**
 * Handles the comments of all runs under way of a repository. A run or a pull request that is new to reconcile, and that the list
 * does not cover, is read on its own first, because its comments may be older than the list.
 */
export async function reconcileComments(
  round: RepositoryRound,
  runs: PlacedRun[],
  { since, listing, covered }: ListedComments,
): Promise<void> {
  const { deps, polled, attempt } = round;
  const known = polled.comments;
  const isCovered = (placed: PlacedRun, number: number) =>
    covered.some((one) => one.placed === placed && one.number === number);
  let isAll = true;
  for (const placed of runs)
    for (const number of numbersOf(placed)) {
      if (isCovered(placed, number)) continue;
      if (!(await attempt({ run: placed.run }, () => catchUp(round, placed, number, !known)))) isAll = false;
    }
  if (!listing) return;
  const handled = { ...known?.handled };
  let isSettled = true;
  const unheard = new Set<number>();
  for (const comment of listing.items.toSorted((one, other) => one.id - other.id)) {
    const placed = runs.find((candidate) => numbersOf(candidate).includes(comment.number));
    const digest = deps.hash(`${comment.updated_at} ${comment.body}`).slice(0, 16);
    if (!placed || handled[comment.id] === digest) continue;
    let isHeard = false;
    const isRead = await attempt({ run: placed.run }, async () => {
      isHeard = await readComment(round, placed, comment);
    });
    if (!isRead) isAll = false;
    if (!isRead || !isHeard) {
      unheard.add(comment.number);
      continue;
    }
    const isDone = handled[comment.id] === onceMore(digest) || (await isAsWritten(deps, comment));
    handled[comment.id] = isDone ? digest : onceMore(digest);
    if (!isDone) isSettled = false;
  }
  for (const one of covered) if (!unheard.has(one.number)) await keepAsRead(round, one, listing.items);
  const etags = isSettled ? listing.etags : [];
  if (isAll) polled.comments = continueFrom({ since, etags, handled }, listing);
  else polled.comments = known && { ...known, handled, etags: [] };
}

/** A comment of ours that is to be restored is read once more: whoever wrote it at that moment may have undone the decision. */
async function isAsWritten({ store, hash }: AppDependencies, { id, body }: Numbered): Promise<boolean> {
  const ours = await store.comments.ofComment(id);
  return !ours || ours.body_hash === hash(body);
}

function onceMore(digest: string): string {
  return `${digest}+`;
}

async function keepAsRead(
  { deps }: RepositoryRound,
  { placed, number, from }: ListedComments['covered'][number],
  items: readonly Numbered[],
): Promise<void> {
  const { cursors } = deps.store;
  const times = items.flatMap((comment) => (comment.number === number ? comment.updated_at : []));
  const newest = new Date(newestOf([from, ...times])).toISOString();
  const cursor = await cursors.get('run', placed.run);
  await cursors.set('run', placed.run, { ...cursor, comments: { ...cursor?.comments, [number]: newest } });
}

type Reading<Run> = Pick<RepositoryRound, 'deps' | 'github' | 'comments' | 'told' | 'hearsAtRest'> & {
  mayRead(placed: Run, calls: number): boolean;
};
type Run = Pick<PlacedRun, 'run' | 'target'>;

/** Reads the comments on one issue or pull request since the label, once, or again if that is needed. */
export async function catchUp<Placed extends Run>(
  round: Reading<Placed>,
  placed: Placed,
  number: number,
  isNeeded: boolean,
): Promise<void> {
  const { cursors } = round.deps.store;
  const before = await cursors.get('run', placed.run);
  const last = before?.comments?.[number];
  if (last !== undefined && !isNeeded) return;
  if (!round.mayRead(placed, 1)) {
    // Without its time it stays to be read, also when the list is known.
    const { [number]: _, ...others } = before?.comments ?? {};
    if (last !== undefined) await cursors.set('run', placed.run, { ...before, comments: others });
    return;
  }
  const from = await unreadSince(round.deps, placed.run, number);
  if (from === undefined) return;
  const since = Date.parse(from) - OVERLAP_MS;
  const found =
    round.comments?.number === number
      ? round.comments.all.filter(({ updated_at }) => Date.parse(updated_at) >= since)
      : await round.github.comments(number, new Date(since).toISOString());
  const heard: string[] = [];
  for (const comment of found) {
    if (!(await readComment(round, placed, { ...comment, number }))) break;
    heard.push(comment.updated_at);
  }
  const newest = new Date(newestOf([from, ...heard])).toISOString();
  const cursor = await cursors.get('run', placed.run);
  await cursors.set('run', placed.run, { ...cursor, comments: { ...cursor?.comments, [number]: newest } });
}

/**
 * a command on a resting run whose webhook was lost. Any comment changes the time of its issue or pull request, so the comments
 * are read when that has changed, and once more after that second is over for certain. Without a time it has not changed.
 */
export async function hearAtRest(
  round: RepositoryRound,
  placed: PlacedRun,
  number: number,
  updatedAt: string | undefined,
): Promise<void> {
  if (placed.phase !== 'resting') return;
  const { cursors } = round.deps.store;
  const before = await cursors.get('run', placed.run);
  const known = before?.rest?.[number];
  const at = updatedAt ?? known?.at;
  if (at === undefined) return;
  const settled = round.deps.now().getTime() - Date.parse(at) > SAME_MOMENT_MS;
  // Comments that were put off have no time yet, and are tried again in every round.
  const isRead = before?.comments?.[number] !== undefined;
  if (isRead && known?.at === at && (known.settled || !settled)) return;
  await catchUp({ ...round, hearsAtRest: true }, placed, number, true);
  const cursor = await cursors.get('run', placed.run);
  // Without their time they were put off, and only this list says when something had changed.
  const isPutOff = cursor?.comments?.[number] === undefined;
  if (isPutOff && known?.at === at) return;
  const rest = { ...cursor?.rest, [number]: { at, settled: settled && !isPutOff } };
  await cursors.set('run', placed.run, { ...cursor, rest });
}

/** Returns false if the run has come to rest since it was listed: the comment stays to be read for its next round. */
async function readComment(
  round: Omit<Reading<Run>, 'mayRead'>,
  { run, target }: Run,
  comment: Numbered,
): Promise<boolean> {
  const { deps, hearsAtRest } = round;
  const { state } = await deps.store.runs.load(run);
  if (!state || !(isUnderWay(state) || (hearsAtRest && isAtRest(state)))) return false;
  await handleComment(round, state, target, comment);
  return true;
}

async function handleComment(
  { deps, github, told }: Omit<Reading<Run>, 'mayRead'>,
  state: RunState,
  target: PlacedRun['target'],
  comment: Numbered,
): Promise<void> {
  if (told?.comment === comment.id) return told.handle();
  if (deps.ownership.isOurs(comment, comment.number) || (await deps.store.comments.ofComment(comment.id)))
    return readEdit(deps, github, target.issue, comment);
  if (comment.author_type !== 'User' || (await isOlder(deps, state, comment))) return;
  // The words were for this run, and a newer one of the issue would take them for its own.
  if ((await deps.store.runs.ofIssue(target.repo_id, target.issue)) !== state.run) return;
  await onCommentCreated(deps, github, {
    comment,
    login: comment.author,
    repo_id: target.repo_id,
    number: comment.number,
    isPullRequest: comment.number !== target.issue,
    foundLate: true,
  });
}

async function isOlder(
  deps: AppDependencies,
  state: RunState,
  { created_at }: GitHubComment,
): Promise<boolean> {
  return isBefore(created_at, (await labellingOf(deps, state)).at);
}

/**
 * A tick found late needs its editor from GitHub. Without one, the question is asked again. A comment that a person reworded is
 * restored; one that differs from the record but was last edited by this App is left, because GitHub may store text differently.
 */
export async function readEdit(
  deps: AppDependencies,
  github: GitHub,
  issue: number,
  comment: GitHubComment,
): Promise<void> {
  const isTicked = newTicks('', comment.body).length > 0;
  const known = isTicked ? undefined : await deps.store.comments.ofComment(comment.id);
  // Without a hash it is to be written again, and somebody may have reworded it since that was decided.
  if (!isTicked && (!known || known.body_hash === deps.hash(comment.body))) return;
  const { by } = (await github.lastEdit(comment.node_id)) ?? {};
  const isBot = by?.endsWith('[bot]') ?? false;
  // An App may have edited a text in which a person had ticked a box.
  if (!isTicked && (by === undefined || (isBot && !deps.ownership.isOtherBot(by)))) return;
  const login = isBot ? undefined : by;
  await onCommentEdited(deps, github, { comment, before: '', login, isBot: isBot && !isTicked, issue });
}
