import { isUnderWay, phaseOf, type RunState } from '../../core/contracts/run-state.ts';
import { GitHubError, type GitHubIssue } from '../../core/ports/github-port.ts';
import type { PlacedRun } from '../../core/ports/run-log.ts';
import { laneKey } from '../../core/ports/run-target.ts';
import type { SentComment } from '../../core/ports/sent-comments.ts';
import { isSameLabel } from '../../core/same-label.ts';
import type { AppDependencies } from '../dependencies.ts';
import { write } from '../handle-input.ts';
import { cancelBecause } from '../handlers/installation.ts';
import { onIssueGone } from '../handlers/issue-gone.ts';
import { onLabelBack } from '../handlers/label-gone.ts';
import { restoreDeleted, restoreLabel } from '../restore/restore-comment.ts';
import type { Ending } from '../who-ended.ts';
import { whyUnreachable } from '../why-unreachable.ts';
import { isDueAgain } from './back-off.ts';
import type { RepositoryRound } from './repository-round.ts';

/** How often a question that GitHub refused is tried again. */
const ASK_AGAIN_MS = 10 * 60_000;

/**
 * A run whose issue is not among the labelled ones that changed. If it is in the list all the same, only its question is looked
 * after. If it is missing there, or was before, it is read on its own, ever more rarely.
 */
export async function compareAbsent(
  round: RepositoryRound,
  placed: PlacedRun,
  isMissing: boolean,
): Promise<void> {
  const { deps } = round;
  const { run, target } = placed;
  const { cursors } = deps.store;
  const cursor = await cursors.get('run', run);
  const now = deps.now();
  const absent = cursor?.absent;
  const isDue =
    !absent ||
    isDueAgain({
      now: now.getTime(),
      since: Date.parse(absent.since),
      asked: Date.parse(absent.read_at),
    });
  if (!(isMissing || absent) || !isDue) {
    const { state } = await deps.store.runs.load(run);
    if (state) await askIfNeverWritten(deps, placed, state);
    await lookIfPutOff(round, placed);
    return;
  }
  const github = await deps.github(target);
  const issue = await github.issue(target.issue).catch(async (error: unknown) => {
    if (!(error instanceof GitHubError) || ![401, 403].includes(error.status)) throw error;
    if (!(await whyUnreachable(deps, target))) throw error;
    return undefined;
  });
  const because = issue ? undefined : await whyUnreachable(deps, target);
  if (because) return cancelBecause(deps, run, { by: 'someone', because, seen: `gone:${run}` });
  if (!(await compareWithIssue(round, placed, issue))) return;
  const read_at = now.toISOString();
  await cursors.set('run', run, {
    ...(await cursors.get('run', run)),
    absent: { since: absent?.since ?? read_at, read_at },
  });
}

/** A run whose issue is among the labelled ones. Returns false if it is to be looked at again soon. */
export async function compareListed(
  round: RepositoryRound,
  placed: PlacedRun,
  issue: GitHubIssue,
): Promise<boolean> {
  const { cursors } = round.deps.store;
  const cursor = await cursors.get('run', placed.run);
  if (cursor?.absent) await cursors.set('run', placed.run, { ...cursor, absent: undefined });
  await onLabelBack(round.deps, placed.run);
  return compareWithIssue(round, placed, issue);
}

/**
 * Compares a run with its issue: closed, locked, unlabelled or gone; comments and labels of ours that somebody removed. Returns
 * false if something of ours is to come back, so that somebody looks whether it does.
 */
export async function compareWithIssue(
  round: RepositoryRound,
  placed: PlacedRun,
  issue: GitHubIssue | undefined,
): Promise<boolean> {
  const { deps } = round;
  const { run, target } = placed;
  const { runs } = deps.store;
  if (!issue || endingOf(deps, issue)) {
    const isKnown = await onIssueGone(deps, {
      repo_id: target.repo_id,
      issue: target.issue,
      ending: issue ? endingOf(deps, issue) : undefined,
      closed_at: issue?.closed_at,
      seen: `gone:${run}`,
    });
    if (!isKnown) return false;
  }
  // Unless the App itself closed it, or the merge of its pull request, which is handled later.
  const { state } = await runs.load(run);
  return !issue || !state || !isUnderWay(state) || restoreOurs(round, placed, state, issue);
}

/** A run that rests loses nothing when its issue is closed, but what people read of it comes back, too. */
export async function compareAtRest(
  round: RepositoryRound,
  placed: PlacedRun,
  issue: GitHubIssue | undefined,
): Promise<boolean> {
  const { state } = await round.deps.store.runs.load(placed.run);
  return !issue || !state || phaseOf(state) !== 'resting' || restoreOurs(round, placed, state, issue);
}

/** The list of issues has not changed since comments of this run were to be looked for. Returns false if one is to come back. */
export async function lookIfPutOff(round: RepositoryRound, placed: PlacedRun): Promise<boolean> {
  const { cursors, runs } = round.deps.store;
  const due = (await cursors.get('run', placed.run))?.question_due;
  if (due === undefined) return true;
  const { state } = await runs.load(placed.run);
  return !state || lookForComments(round, placed, state, due);
}

async function restoreOurs(
  round: RepositoryRound,
  placed: PlacedRun,
  state: RunState,
  issue: GitHubIssue,
): Promise<boolean> {
  await askIfNeverWritten(round.deps, placed, state);
  const { comments, updated_at } = issue;
  const seen = `${state.pending} ${comments} ${phaseOf(state) === 'working' ? '' : updated_at}`;
  const isThere = await lookForComments(round, placed, state, seen);
  return !(await compareLabel(round.deps, state, issue)) && isThere;
}

function endingOf({ settings }: AppDependencies, { state, locked, labels }: GitHubIssue): Ending {
  if (state === 'closed') return 'closed';
  if (locked) return 'locked';
  return labels.some((label) => isSameLabel(label, settings.label)) ? undefined : 'unlabeled';
}

/**
 * Writes an open question and the status again if somebody deleted their comment, and updates the links. Makes no call if no
 * comment changed. The status of a run at work is written again soon and often, so only the number of comments counts for it.
 * Returns false if a comment is to be written again.
 */
async function lookForComments(
  { deps, github, mayRead, present }: RepositoryRound,
  placed: PlacedRun,
  state: RunState,
  question: string,
): Promise<boolean> {
  const { store } = deps;
  const { run, pending } = state;
  const cursor = await store.cursors.get('run', run);
  if (cursor?.question === question) return true;
  const asked = pending === undefined ? undefined : await store.comments.find(`${run}.${pending}`);
  const status = await store.comments.find(`${run}.status`);
  const isUnseen = (id: number | undefined): id is number => id !== undefined && !present?.has(id);
  const calls = [asked?.comment_id, status?.comment_id].filter(isUnseen).length;
  if (cursor?.question === undefined && calls > 0 && !mayRead(placed, calls)) {
    if (cursor?.question_due !== question)
      await store.cursors.set('run', run, { ...cursor, question_due: question });
    return true;
  }
  const restore = async (ours: SentComment | undefined) => {
    if (!ours || !isUnseen(ours.comment_id) || (await github.comment(ours.comment_id))) return false;
    return restoreDeleted(deps, state, ours);
  };
  const again = [await restore(asked), await restore(status)];
  if (again.some(Boolean)) return false;
  await store.cursors.set('run', run, { ...cursor, question, question_due: undefined });
  return true;
}

/** GitHub refused the comment of an open question for good, so the run would wait for an answer that nobody can give. */
async function askIfNeverWritten(
  deps: AppDependencies,
  { target }: PlacedRun,
  { run, pending }: RunState,
): Promise<void> {
  if (pending === undefined) return;
  const asked = await deps.store.comments.find(`${run}.${pending}`);
  if (asked?.comment_id !== undefined) return;
  // It is still being tried, which takes longer than this waits.
  const waiting = await deps.store.outbox.waiting(laneKey(target.repo_id, target.issue), run);
  if (waiting.some((effect) => effect.type === 'ask' && effect.escalation === pending)) return;
  const effects = [{ type: 'ask' as const, escalation: pending }, { type: 'update_status' as const }];
  const span = Math.floor(deps.now().getTime() / ASK_AGAIN_MS);
  await write(deps, run, effects, [`ask-unwritten:${run}:${pending}:${span}`]);
}

/** A state label that somebody removed is set again. Returns whether that was decided. */
export async function compareLabel(
  deps: AppDependencies,
  state: RunState,
  { labels, updated_at }: GitHubIssue,
): Promise<boolean> {
  const { label } = await deps.store.publications.of(state.run);
  if (label === undefined || labels.some((one) => isSameLabel(one, label))) return false;
  return restoreLabel(deps, state, label, updated_at);
}
