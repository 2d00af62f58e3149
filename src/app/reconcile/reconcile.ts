import { isUnderWay, type RunState } from '../../core/contracts/run-state.ts';
import type { Dispatch } from '../../core/ports/dispatches.ts';
import {
  type GitHub,
  type GitHubComment,
  GitHubError,
  type GitHubIssue,
} from '../../core/ports/github-port.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import { isSameLabel } from '../../core/same-label.ts';
import type { AppDependencies } from '../dependencies.ts';
import { write } from '../handle-input.ts';
import { onCommentCreated } from '../handlers/comment-created.ts';
import { onCommentEdited } from '../handlers/comment-edited.ts';
import { cancelBecause } from '../handlers/installation.ts';
import { onIssueGone } from '../handlers/issue-gone.ts';
import { onWorkflowRunCompleted } from '../handlers/workflow-run-completed.ts';
import { isOurs } from '../is-ours.ts';
import { isBefore, labellingOf } from '../labelling.ts';
import { lastPerson } from '../last-person.ts';
import { restoreComment } from '../restore-comment.ts';
import { newTicks } from '../ticked-boxes.ts';
import type { Ending } from '../who-ended.ts';
import { whyUnreachable } from '../why-unreachable.ts';
import { reconcileLabels } from './reconcile-labels.ts';
import { reconcilePullRequest, reconcileReviewing } from './reconcile-pull-request.ts';
import { redeliverFailed } from './redeliver.ts';

/** a job without a heartbeat for this long is checked on GitHub. */
const SILENT_MS = 180_000;
/** How often a question that GitHub refused is tried again. */
const ASK_AGAIN_MS = 10 * 60_000;
/** GitHub may list a comment a little after its creation. Comments that are read twice are handled once. */
const OVERLAP_MS = 60_000;

/** Polls GitHub for events whose webhooks were lost, and passes them to the same handlers. */
export async function reconcile(deps: AppDependencies): Promise<void> {
  await redeliverFailed(deps);
  for (const run of await deps.store.runs.inPhase('working', 'waiting')) {
    try {
      await reconcileRun(deps, run);
    } catch (error) {
      deps.log.warn({ run, error: String(error) }, 'this run could not be reconciled');
    }
  }
  await reconcileReviewing(deps);
  await reconcileLabels(deps);
}

async function reconcileRun(deps: AppDependencies, run: string): Promise<void> {
  const { state } = await deps.store.runs.load(run);
  const target = await deps.store.runs.target(run);
  if (!state || !target) return;
  const github = await deps.github(target);
  const issue = await github.issue(target.issue).catch(async (error: unknown) => {
    // A refusal may mean that the App was suspended and the webhook for it was lost.
    if (!(error instanceof GitHubError) || ![401, 403].includes(error.status)) throw error;
    if (!(await whyUnreachable(deps, target))) throw error;
  });
  const because = issue ? undefined : await whyUnreachable(deps, target);
  if (because) return cancelBecause(deps, run, { by: 'someone', because, seen: `gone:${run}` });
  if (!issue || endingOf(deps, issue)) {
    await onIssueGone(deps, {
      repo_id: target.repo_id,
      issue: target.issue,
      ending: issue ? endingOf(deps, issue) : undefined,
      seen: `gone:${run}`,
    });
    // The App itself closed it, or the merge of its pull request, which is handled below.
    const now = (await deps.store.runs.load(run)).state;
    if (!issue || !now || !isUnderWay(now)) return;
  }
  await lookForComments(deps, github, state, issue);
  await restoreLabel(deps, state, issue);
  await readComments(deps, github, state, target, target.issue);
  await reconcilePullRequest(deps, github, state, target, (pullRequest) =>
    readComments(deps, github, state, target, pullRequest),
  );
  await lookAfterJob(deps, github, state);
}

function endingOf({ settings }: AppDependencies, { state, locked, labels }: GitHubIssue): Ending {
  if (state === 'closed') return 'closed';
  if (locked) return 'locked';
  return labels.some((label) => isSameLabel(label, settings.label)) ? undefined : 'unlabeled';
}

/**
 * Writes an open question and the status again if somebody deleted their comment, and updates the links. Makes no call if no
 * comment changed.
 */
async function lookForComments(
  deps: AppDependencies,
  github: GitHub,
  state: RunState,
  { comments, updated_at }: GitHubIssue,
): Promise<void> {
  const { store } = deps;
  const { run, pending } = state;
  if (pending !== undefined) await askIfNeverWritten(deps, run, pending);
  const cursor = await store.cursors.get('run', run);
  const question = `${pending} ${comments} ${updated_at}`;
  if (cursor?.question === question) return;
  const isDeleted = async (id: number | undefined) => id !== undefined && !(await github.comment(id));
  const asked = pending === undefined ? undefined : await store.comments.find(`${run}.${pending}`);
  if (pending !== undefined && (await isDeleted(asked?.comment_id))) {
    const effects = [{ type: 'ask' as const, escalation: pending }, { type: 'update_status' as const }];
    await write(deps, run, effects, [`asked-again:${run}:${asked?.comment_id}`]);
  }
  const status = await store.comments.find(`${run}.status`);
  if (status && (await isDeleted(status.comment_id)))
    await restoreComment(deps, state, status, `status-again:${run}:${status.comment_id}`);
  await store.cursors.set('run', run, { ...cursor, question });
}

/** GitHub refused the comment of an open question for good, so the run would wait for an answer that nobody can give. */
async function askIfNeverWritten(deps: AppDependencies, run: string, pending: string): Promise<void> {
  const asked = await deps.store.comments.find(`${run}.${pending}`);
  if (asked?.comment_id !== undefined) return;
  const effects = [{ type: 'ask' as const, escalation: pending }, { type: 'update_status' as const }];
  const span = Math.floor(deps.now().getTime() / ASK_AGAIN_MS);
  await write(deps, run, effects, [`ask-unwritten:${run}:${pending}:${span}`]);
}

/** A state label that somebody removed is set again. */
async function restoreLabel(
  deps: AppDependencies,
  { run }: RunState,
  { labels, updated_at }: GitHubIssue,
): Promise<void> {
  const { label } = await deps.store.publications.of(run);
  if (label === undefined || labels.some((one) => isSameLabel(one, label))) return;
  await deps.store.publications.change(run, { label: undefined });
  await write(deps, run, [{ type: 'update_status' }], [`label-again:${run}:${label}:${updated_at}`]);
}

async function readComments(
  deps: AppDependencies,
  github: GitHub,
  state: RunState,
  target: RunTarget,
  number: number,
): Promise<void> {
  const isPullRequest = number !== target.issue;
  const cursor = await deps.store.cursors.get('run', state.run);
  const { at } = await labellingOf(deps, state);
  // The newest comment's time is by GitHub's clock.
  let newest = cursor?.comments?.[number] ?? at;
  const since = new Date(Date.parse(newest) - OVERLAP_MS).toISOString();
  for (const comment of await github.comments(number, since)) {
    if (Date.parse(comment.updated_at) > Date.parse(newest)) newest = comment.updated_at;
    if (isOurs(deps, comment) || (await deps.store.comments.ofComment(comment.id))) {
      await readEdit(deps, github, target, comment);
    } else if (comment.author_type === 'User' && !isBefore(comment.created_at, at)) {
      const { author: login } = comment;
      await onCommentCreated(deps, github, {
        comment,
        login,
        repo_id: target.repo_id,
        number,
        isPullRequest,
        foundLate: true,
      });
    }
  }
  const before = await deps.store.cursors.get('run', state.run);
  const comments = { ...before?.comments, [number]: newest };
  await deps.store.cursors.set('run', state.run, { ...before, comments });
}

/**
 * A tick found late needs its editor from GitHub. Without one, the question is asked again. A comment that a person reworded is
 * restored; one that differs from the record but was last edited by this App is left, because GitHub may store text differently.
 */
async function readEdit(
  deps: AppDependencies,
  github: GitHub,
  target: RunTarget,
  comment: GitHubComment,
): Promise<void> {
  const isTicked = newTicks('', comment.body).length > 0;
  const known = isTicked ? undefined : await deps.store.comments.ofComment(comment.id);
  if (!isTicked && (!known?.body_hash || known.body_hash === deps.hash(comment.body))) return;
  const login = await lastPerson(github, comment.node_id);
  if (!isTicked && login === undefined) return;
  await onCommentEdited(deps, github, { comment, before: '', login, issue: target.issue });
}

/** Asks Actions about jobs that say nothing. A job whose end is known is never asked about again. */
async function lookAfterJob(deps: AppDependencies, github: GitHub, state: RunState): Promise<void> {
  const now = (await deps.store.now()).getTime();
  for (const dispatch of await deps.store.dispatches.open(state.run)) {
    const { actions_run, heard_at, requested_at } = dispatch;
    const sign = heard_at ?? requested_at;
    if (sign === undefined || now - Date.parse(sign) < SILENT_MS) continue;
    if (actions_run === undefined) {
      await findWorkflowRun(deps, github, dispatch, state);
      continue;
    }
    const actions = await github.workflowRun(actions_run);
    if (actions?.status !== 'completed') continue;
    const { attempt, conclusion } = actions;
    await onWorkflowRunCompleted(deps, { actions_run, attempt, conclusion });
  }
}

/** GitHub answered without the id of the workflow run, whose name contains the operation. */
async function findWorkflowRun(
  deps: AppDependencies,
  github: GitHub,
  { op, requested_at }: Dispatch,
  { run }: RunState,
): Promise<void> {
  const target = await deps.store.runs.target(run);
  if (!target || requested_at === undefined) return;
  const since = new Date(Date.parse(requested_at) - OVERLAP_MS).toISOString();
  const runs = await github.workflowRuns(target.workflow, since);
  const started = runs.find(({ name }) => name.split(' ').includes(op));
  if (started) await deps.store.dispatches.change(op, { actions_run: started.id });
}
