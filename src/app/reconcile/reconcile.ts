import type { RunState } from '../../core/contracts/run-state.ts';
import { type GitHub, GitHubError, type GitHubIssue } from '../../core/ports/github-port.ts';
import { aliveMark } from '../../core/ports/job-api.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import { isSameLabel } from '../../core/same-label.ts';
import type { AppDependencies } from '../dependencies.ts';
import { performEffect } from '../effects/perform-effect.ts';
import { onCommentCreated } from '../handlers/comment-created.ts';
import { onCommentEdited } from '../handlers/comment-edited.ts';
import { cancelBecause } from '../handlers/installation.ts';
import { onIssueGone, onWorkflowRunCompleted } from '../handlers/run-over.ts';
import { isBefore, labellingOf } from '../labelling.ts';
import { lastDispatch } from '../last-dispatch.ts';
import { lastPerson } from '../last-person.ts';
import { newTicks } from '../ticked-boxes.ts';
import type { Ending } from '../who-ended.ts';
import { whyUnreachable } from '../why-unreachable.ts';
import { reconcileLabels } from './reconcile-labels.ts';
import { reconcilePullRequest, reconcileReviewing } from './reconcile-pull-request.ts';
import { redeliverFailed } from './redeliver.ts';

/** a job without a heartbeat for this long is checked on GitHub. */
const SILENT_MS = 180_000;
/** GitHub may list a comment a little after its creation. Comments that are read twice are handled once. */
const OVERLAP_MS = 60_000;

/** Polls GitHub for events whose webhooks were lost, and passes them to the same handlers. */
export async function reconcile(deps: AppDependencies): Promise<void> {
  await redeliverFailed(deps);
  for (const run of await deps.store.runs.active()) {
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
    if (!issue || !(await deps.store.runs.active()).includes(run)) return;
  }
  await lookForQuestion(deps, github, state, issue);
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
 * Asks an open question again if somebody deleted its comment, and updates the links to it. Makes no call if no comment changed.
 */
async function lookForQuestion(
  deps: AppDependencies,
  github: GitHub,
  { run, pending }: RunState,
  { comments, updated_at }: GitHubIssue,
): Promise<void> {
  const { store } = deps;
  const known = pending && (await store.comments.find(run, `${run}.${pending}`));
  const mark = `question-looked:${run}`;
  const now = `${pending} ${comments} ${updated_at}`;
  if (!known || (await store.marks.get(mark)) === now) return;
  if (!(await github.comment(known.comment_id))) {
    const id = `${run}.${pending}.again`;
    await performEffect(deps, { id, run, effect: { type: 'ask', escalation: pending } });
    await performEffect(deps, { id, run, effect: { type: 'update_status' } });
  }
  await store.marks.set(mark, now);
}

async function readComments(
  deps: AppDependencies,
  github: GitHub,
  state: RunState,
  target: RunTarget,
  number: number,
): Promise<void> {
  const isPullRequest = number !== target.issue;
  const mark = `comments-seen:${state.run}:${number}`;
  const { at } = await labellingOf(deps, state);
  // The newest comment's time is by GitHub's clock.
  let newest = (await deps.store.marks.get(mark)) ?? at;
  const since = new Date(Date.parse(newest) - OVERLAP_MS).toISOString();
  for (const comment of await github.comments(number, since)) {
    if (Date.parse(comment.updated_at) > Date.parse(newest)) newest = comment.updated_at;
    if (comment.app_id === deps.settings.appId) {
      await readTicks(deps, github, target, comment);
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
  await deps.store.marks.set(mark, newest);
}

/** A tick found late needs its editor from GitHub. Without one, the question is asked again. */
async function readTicks(
  deps: AppDependencies,
  github: GitHub,
  target: RunTarget,
  comment: { id: number; node_id: string; body: string; app_id?: number; updated_at: string },
): Promise<void> {
  if (newTicks('', comment.body).length === 0) return;
  const login = await lastPerson(github, comment.node_id);
  await onCommentEdited(deps, github, { comment, before: '', login, issue: target.issue });
}

async function lookAfterJob(deps: AppDependencies, github: GitHub, state: RunState): Promise<void> {
  const { run } = state;
  const newest = await lastDispatch(deps, run);
  const claimed = await deps.store.tokens.actionsRunOf(run, state.jobs);
  const sign = (await deps.store.marks.get(aliveMark(run, state.jobs))) ?? newest?.at;
  if (sign && deps.now().getTime() - Date.parse(sign) < SILENT_MS) return;
  // The newest dispatched job counts, even if it never began.
  const id = newest?.actions_run ?? claimed?.actions_run;
  const actions = id === undefined ? undefined : await github.workflowRun(id);
  if (id === undefined || actions?.status !== 'completed') return;
  const { attempt, conclusion } = actions;
  await onWorkflowRunCompleted(deps, { run, actions_run: id, attempt, conclusion });
}
