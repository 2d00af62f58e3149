import { type GitHub, GitHubError } from '../core/github-port.ts';
import type { Place } from '../core/hosted-ports.ts';
import { aliveMark } from '../core/job-api.ts';
import type { RunState } from '../core/run-state.ts';
import { onCommentCreated } from './handlers/comment-created.ts';
import { onCommentEdited } from './handlers/comment-edited.ts';
import { cancelBecause } from './handlers/installation.ts';
import { onIssueLabelled } from './handlers/issue-labelled.ts';
import { onIssueGone, onWorkflowRunCompleted } from './handlers/run-over.ts';
import { lastDispatch } from './last-dispatch.ts';
import type { AppParts } from './parts.ts';
import { reconcilePullRequest, reconcileReviewing } from './reconcile-pull-request.ts';
import { redeliverFailed } from './redeliver.ts';
import { newTicks } from './ticked-boxes.ts';
import { whyUnreachable } from './why-unreachable.ts';

/** A job that says nothing for so long is looked after. */
const SILENT_MS = 180_000;
const LABELS_EVERY_MS = 15 * 60_000;

/** Reads GitHub again, so that no lost webhook loses a command: what it finds goes to the same handlers. */
export async function reconcile(parts: AppParts): Promise<void> {
  await redeliverFailed(parts);
  for (const run of await parts.store.runs.active()) {
    try {
      await reconcileRun(parts, run);
    } catch (error) {
      parts.log.warn({ run, error: String(error) }, 'this run could not be reconciled');
    }
  }
  await reconcileReviewing(parts);
  await reconcileLabels(parts);
}

async function reconcileRun(parts: AppParts, run: string): Promise<void> {
  const { state } = await parts.store.runs.load(run);
  const place = await parts.store.runs.place(run);
  if (!state || !place) return;
  const github = await parts.github(place);
  const issue = await github.issue(place.issue).catch(async (error: unknown) => {
    // Refused, not gone: the App may have been suspended without our hearing of it.
    if (!(error instanceof GitHubError) || ![401, 403].includes(error.status)) throw error;
    if (!(await whyUnreachable(parts, place))) throw error;
  });
  const because = issue ? undefined : await whyUnreachable(parts, place);
  if (because) return cancelBecause(parts, run, { by: 'someone', because, seen: `gone:${run}` });
  if (!issue || issue.state === 'closed' || !issue.labels.includes(parts.settings.label)) {
    return onIssueGone(parts, {
      repo_id: place.repo_id,
      issue: place.issue,
      login: 'someone',
      seen: `gone:${run}`,
    });
  }
  await readComments(parts, github, state, place, place.issue);
  await reconcilePullRequest(parts, github, state, place, (pullRequest) =>
    readComments(parts, github, state, place, pullRequest),
  );
  await lookAfterJob(parts, github, state);
}

async function readComments(
  parts: AppParts,
  github: GitHub,
  state: RunState,
  place: Place,
  number: number,
): Promise<void> {
  const isPullRequest = number !== place.issue;
  const mark = isPullRequest ? `comments-read:${state.run}:${number}` : `comments-read:${state.run}`;
  const since = (await parts.store.marks.get(mark)) ?? state.requested_at;
  const started = parts.now().toISOString();
  for (const comment of await github.comments(number, since)) {
    if (comment.app_id === parts.settings.appId) {
      await readTicks(parts, github, place, comment);
    } else if (comment.author_type === 'User' && comment.created_at >= state.requested_at) {
      const { author: login } = comment;
      await onCommentCreated(parts, github, {
        comment,
        login,
        repo_id: place.repo_id,
        number,
        isPullRequest,
      });
    }
  }
  await parts.store.marks.set(mark, started);
}

/** A tick found late needs its editor from GitHub; without one nobody is answered for. */
async function readTicks(
  parts: AppParts,
  github: GitHub,
  place: Place,
  comment: { id: number; node_id: string; body: string; app_id?: number; updated_at: string },
): Promise<void> {
  if (newTicks('', comment.body).length === 0) return;
  const login = await github.lastEditor(comment.node_id);
  if (!login) return;
  await onCommentEdited(parts, github, { comment, before: '', login, issue: place.issue });
}

async function lookAfterJob(parts: AppParts, github: GitHub, state: RunState): Promise<void> {
  const { run } = state;
  const newest = await lastDispatch(parts, run);
  const claimed = await parts.store.tokens.actionsRunOf(run, state.jobs);
  const sign = (await parts.store.marks.get(aliveMark(run, state.jobs))) ?? newest?.at;
  if (sign && parts.now().getTime() - Date.parse(sign) < SILENT_MS) return;
  // The newest one asked for is the one that counts, also when it never began.
  const id = newest?.actions_run ?? claimed?.actions_run;
  const actions = id === undefined ? undefined : await github.workflowRun(id);
  if (id === undefined || actions?.status !== 'completed') return;
  const { attempt, conclusion } = actions;
  await onWorkflowRunCompleted(parts, { run, actions_run: id, attempt, conclusion });
}

async function reconcileLabels(parts: AppParts): Promise<void> {
  const last = await parts.store.marks.get('labels-read');
  if (last && parts.now().getTime() - Date.parse(last) < LABELS_EVERY_MS) return;
  await parts.store.marks.set('labels-read', parts.now().toISOString());
  for (const repository of await parts.repositories()) {
    const github = await parts.github(repository);
    const { repo_id } = await github.defaultBranch();
    for (const issue of await github.issuesWithLabel(parts.settings.label)) {
      // The label stays after the end of a run: only one that led to no run at all was missed.
      if (await parts.store.runs.ofIssue(repo_id, issue.number)) continue;
      // Who set the label is not in the issue; its author stands in, and must be able to write.
      const seen = `label-found:${repository.owner}/${repository.repo}#${issue.number}`;
      await onIssueLabelled(parts, { ...repository, issue: issue.number, login: issue.author, seen });
    }
  }
}
