import type { Probot } from 'probot';
import { actionsRunMark } from '../core/job-api.ts';
import { onCommentCreated } from './handlers/comment-created.ts';
import { onCommentEdited } from './handlers/comment-edited.ts';
import { onIssueLabelled } from './handlers/issue-labelled.ts';
import { onIssueGone, onPullRequestClosed, onWorkflowRunCompleted } from './handlers/run-over.ts';
import type { AppParts } from './parts.ts';

interface FromRepository {
  installation?: { id: number };
  repository: { id: number; name: string; owner: { login: string } };
}

/** The Probot app. It decides nothing itself: each event is handed to the one handler that knows it. */
export default function autobuild(parts: AppParts): (app: Probot) => void {
  const repositoryOf = ({ installation, repository }: FromRepository) => ({
    installation_id: installation?.id ?? 0,
    owner: repository.owner.login,
    repo: repository.name,
  });
  const { label } = parts.settings;
  return (app) => {
    app.on('issues.labeled', async ({ id, payload }) => {
      // An App or a template may set labels too; only a person's word starts a run.
      if (payload.label?.name !== label || payload.sender.type !== 'User') return;
      const where = repositoryOf(payload);
      await onIssueLabelled(parts, {
        ...where,
        issue: payload.issue.number,
        login: payload.sender.login,
        seen: `label:${payload.repository.id}:${payload.issue.number}:${id}`,
      });
    });
    app.on(
      ['issues.unlabeled', 'issues.closed', 'issues.deleted', 'issues.transferred', 'issues.locked'],
      async ({ id, payload }) => {
        if (payload.action === 'unlabeled' && payload.label?.name !== label) return;
        // Our own labels and merges do the same: they cancel nothing.
        if (payload.sender.type !== 'User') return;
        await onIssueGone(parts, {
          repo_id: payload.repository.id,
          issue: payload.issue.number,
          login: payload.sender.login,
          seen: `gone:${id}`,
        });
      },
    );
    app.on('issue_comment.created', async ({ payload }) => {
      if (payload.sender.type !== 'User') return;
      await onCommentCreated(parts, await parts.github(repositoryOf(payload)), {
        comment: payload.comment,
        login: payload.sender.login,
        repo_id: payload.repository.id,
        number: payload.issue.number,
        isPullRequest: payload.issue.pull_request !== undefined,
      });
    });
    app.on('issue_comment.edited', async ({ payload }) => {
      if (payload.sender.type !== 'User') return;
      await onCommentEdited(parts, await parts.github(repositoryOf(payload)), {
        comment: {
          id: payload.comment.id,
          body: payload.comment.body,
          app_id: payload.comment.performed_via_github_app?.id ?? undefined,
          updated_at: payload.comment.updated_at,
        },
        before: payload.changes.body?.from ?? payload.comment.body,
        login: payload.sender.login,
        issue: payload.issue.number,
      });
    });
    app.on('pull_request.closed', async ({ id, payload }) => {
      await onPullRequestClosed(parts, {
        repo_id: payload.repository.id,
        number: payload.pull_request.number,
        merged: payload.pull_request.merged === true,
        login: payload.sender.login,
        seen: `pull-closed:${id}`,
      });
    });
    app.on('workflow_run.completed', async ({ payload }) => {
      const { workflow_run } = payload;
      const run = await parts.store.marks.get(actionsRunMark(workflow_run.id));
      if (!run) return;
      await onWorkflowRunCompleted(parts, {
        run,
        actions_run: workflow_run.id,
        attempt: workflow_run.run_attempt,
        conclusion: workflow_run.conclusion,
      });
    });
  };
}
