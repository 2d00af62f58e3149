import type { Context } from 'probot';
import type { WEBHOOK_EVENTS } from '../core/ports/webhook-events.ts';
import type { Kept, WEBHOOK_FIELDS } from '../core/ports/webhook-fields.ts';
import { isSameLabel } from '../core/same-label.ts';
import type { AppDependencies } from './dependencies.ts';
import { onBasePushed } from './handlers/base-pushed.ts';
import { onCiCompleted } from './handlers/ci-completed.ts';
import { onCommentCreated } from './handlers/comment-created.ts';
import { onCommentDeleted } from './handlers/comment-deleted.ts';
import { onCommentEdited } from './handlers/comment-edited.ts';
import { onIssueGone } from './handlers/issue-gone.ts';
import { onIssueLabelled } from './handlers/issue-labelled.ts';
import { onPullRequestClosed, onPullRequestReopened } from './handlers/pull-request-closed.ts';
import { onPullRequestEdited } from './handlers/pull-request-edited.ts';
import { onPullRequestLabelled } from './handlers/pull-request-labelled.ts';
import { onRemarkCreated } from './handlers/remark-created.ts';
import { onRemarksChanged } from './handlers/remarks-changed.ts';
import { onReviewSubmitted } from './handlers/review-submitted.ts';
import { isOutdated } from './reconcile/redeliver.ts';

interface FromRepository {
  installation?: { id: number };
  /** The event of a push may have no owner. */
  repository: { id: number; name: string; owner: { login: string } | null };
}

interface OnIssue extends FromRepository {
  issue: { number: number };
}

type Events = typeof WEBHOOK_EVENTS;
/** `issues.labeled` and all others. An event without an action ends with the dot. */
export type Name = { [Event in keyof Events]: `${Event}.${Events[Event][number]}` }[keyof Events];
type FieldsOf<N extends Name> = N extends `${infer Event extends keyof Events}.${string}`
  ? (typeof WEBHOOK_FIELDS)[Event]
  : never;
export type ProbotName<N extends Name> = N extends `${infer Event extends 'status' | 'push'}.`
  ? Event
  : Exclude<N, 'status.' | 'push.'>;
/** A webhook as ingest keeps it. */
export interface Webhook<N extends Name> {
  id: string;
  payload: N extends Name ? Kept<Context<ProbotName<N>>['payload'], FieldsOf<N>> : never;
}

/** Registers the handler of an event. The payload is typed as its kept fields, because the rest is not there. */
type On = <N extends Name>(names: N | N[], handle: (webhook: Webhook<N>) => Promise<void>) => void;

/** Passes each event of an issue or a pull request to its handler, and decides nothing itself. */
export function onRepositoryEvents(deps: AppDependencies, on: On): void {
  const repositoryOf = ({ installation, repository }: FromRepository) => ({
    installation_id: installation?.id ?? 0,
    owner: repository.owner?.login ?? '',
    repo: repository.name,
  });
  const isLate = (delivery: string, at: string, { repository, issue }: OnIssue) =>
    isOutdated(deps, delivery, { repo_id: repository.id, issue: issue.number, at });
  const { label } = deps.settings;
  on('issues.labeled', async ({ id, payload }) => {
    // Apps and templates set labels too, but only a person may start a run.
    if (!isSameLabel(payload.label?.name, label) || payload.sender.type !== 'User') return;
    if (await isLate(id, payload.issue.updated_at, payload)) return;
    const where = repositoryOf(payload);
    await onIssueLabelled(deps, {
      ...where,
      issue: payload.issue.number,
      login: payload.sender.login,
      seen: `label:${payload.repository.id}:${payload.issue.number}:${id}`,
      at: payload.issue.updated_at,
      // the issue may be edited before the handler reads it, so the text comes from the payload.
      text: { title: payload.issue.title, body: payload.issue.body ?? '' },
    });
  });
  on(
    ['issues.unlabeled', 'issues.closed', 'issues.deleted', 'issues.transferred', 'issues.locked'],
    async ({ id, payload }) => {
      if (payload.action === 'unlabeled' && !isSameLabel(payload.label?.name, label)) return;
      const { login: sender } = payload.sender;
      if (await isLate(id, payload.issue.updated_at, payload)) return;
      await onIssueGone(deps, {
        repo_id: payload.repository.id,
        issue: payload.issue.number,
        ending: payload.action === 'deleted' || payload.action === 'transferred' ? undefined : payload.action,
        ...(payload.sender.type === 'User' ? { person: sender } : { bot: sender }),
        closed_at: payload.issue.closed_at ?? undefined,
        seen: `gone:${id}`,
      });
    },
  );
  on('issue_comment.created', async ({ id, payload }) => {
    if (payload.sender.type !== 'User') return;
    if (await isLate(id, payload.comment.created_at, payload)) return;
    await onCommentCreated(deps, await deps.github(repositoryOf(payload)), {
      comment: payload.comment,
      login: payload.sender.login,
      repo_id: payload.repository.id,
      number: payload.issue.number,
      isPullRequest: payload.issue.pull_request !== undefined,
    });
  });
  on('issue_comment.edited', async ({ payload }) => {
    const { login, type } = payload.sender;
    const isBot = type !== 'User';
    if (isBot && !deps.ownership.isOtherBot(login)) return;
    await onCommentEdited(deps, await deps.github(repositoryOf(payload)), {
      comment: {
        id: payload.comment.id,
        body: payload.comment.body,
        author: payload.comment.user?.login ?? '',
        author_type: payload.comment.user?.type ?? '',
        app_id: payload.comment.performed_via_github_app?.id ?? undefined,
        updated_at: payload.comment.updated_at,
      },
      before: payload.changes.body?.from ?? payload.comment.body,
      login: isBot ? undefined : login,
      isBot,
      issue: payload.issue.number,
    });
  });
  on('issue_comment.deleted', async ({ payload }) => {
    await onCommentDeleted(deps, { id: payload.comment.id });
  });
  on('pull_request.closed', async ({ id, payload }) => {
    await onPullRequestClosed(deps, {
      repo_id: payload.repository.id,
      number: payload.pull_request.number,
      merged: payload.pull_request.merged === true,
      login: payload.sender.login,
      seen: `pull-closed:${id}`,
    });
  });
  on('pull_request.reopened', async ({ id, payload }) => {
    await onPullRequestReopened(deps, {
      repo_id: payload.repository.id,
      number: payload.pull_request.number,
      login: payload.sender.login,
      seen: `pull-reopened:${id}`,
    });
  });
  on('pull_request.edited', async ({ payload }) => {
    if (payload.sender?.type !== 'User' || payload.changes.body === undefined) return;
    await onPullRequestEdited(deps, await deps.github(repositoryOf(payload)), {
      repo_id: payload.repository.id,
      number: payload.pull_request.number,
      before: payload.changes.body.from,
      body: payload.pull_request.body ?? '',
      login: payload.sender.login,
      at: payload.pull_request.updated_at,
      said_at: payload.pull_request.updated_at,
    });
  });
  on('pull_request.labeled', async ({ id, payload }) => {
    if (!isSameLabel(payload.label?.name, label) || payload.sender.type !== 'User') return;
    await onPullRequestLabelled(deps, {
      ...repositoryOf(payload),
      repo_id: payload.repository.id,
      number: payload.pull_request.number,
      login: payload.sender.login,
      seen: `not-an-issue:${id}`,
    });
  });
  on('pull_request_review_comment.created', async ({ payload }) => {
    if (payload.sender.type !== 'User') return;
    await onRemarkCreated(deps, await deps.github(repositoryOf(payload)), {
      id: payload.comment.id,
      body: payload.comment.body,
      login: payload.sender.login,
      said_at: payload.comment.updated_at,
      repo_id: payload.repository.id,
      number: payload.pull_request.number,
    });
  });
  on(
    [
      'pull_request_review_comment.edited',
      'pull_request_review_comment.deleted',
      'pull_request_review.edited',
      'pull_request_review.dismissed',
      'pull_request_review_thread.resolved',
      'pull_request_review_thread.unresolved',
    ],
    async ({ id, payload }) => {
      const { repository, pull_request } = payload;
      await onRemarksChanged(deps, { repo_id: repository.id, number: pull_request.number, seen: id });
    },
  );
  on('check_run.completed', async ({ payload }) => {
    const { head_sha: sha, check_suite } = payload.check_run;
    const branches = [check_suite.head_branch ?? ''];
    const github = () => deps.github(repositoryOf(payload));
    await onCiCompleted(deps, github, { repo_id: payload.repository.id, sha, branches });
  });
  on('check_suite.completed', async ({ payload }) => {
    const { head_sha: sha, head_branch } = payload.check_suite;
    const github = () => deps.github(repositoryOf(payload));
    await onCiCompleted(deps, github, { repo_id: payload.repository.id, sha, branches: [head_branch ?? ''] });
  });
  on('status.', async ({ payload }) => {
    const branches = payload.branches.map(({ name }) => name);
    const github = () => deps.github(repositoryOf(payload));
    await onCiCompleted(deps, github, { repo_id: payload.repository.id, sha: payload.sha, branches });
  });
  on('push.', async ({ payload }) => {
    const branch = payload.ref.replace(/^refs\/heads\//, '');
    const github = () => deps.github(repositoryOf(payload));
    await onBasePushed(deps, github, { repo_id: payload.repository.id, branch });
  });
  on('pull_request_review.submitted', async ({ payload }) => {
    const { id, node_id, body, state, html_url: url, submitted_at } = payload.review;
    await onReviewSubmitted(deps, await deps.github(repositoryOf(payload)), {
      review: { id, node_id, body: body ?? '', state, url, submitted_at: submitted_at ?? undefined },
      login: payload.sender.login,
      repo_id: payload.repository.id,
      number: payload.pull_request.number,
      isBot: payload.sender.type !== 'User',
    });
  });
}
