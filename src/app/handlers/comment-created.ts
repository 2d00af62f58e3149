import type { GitHub } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { handleText } from './handle-text.ts';

interface Commented {
  comment: { id: number; node_id: string; body: string; created_at: string };
  login: string;
  repo_id: number;
  /** The number of the issue, or of the pull request. */
  number: number;
  isPullRequest: boolean;
  /** True if reconcile found it, not a webhook. */
  foundLate?: boolean;
}

/** Handles commands in a comment on the issue or on its pull request. */
export async function onCommentCreated(
  deps: AppDependencies,
  github: GitHub,
  commented: Commented,
): Promise<void> {
  const { comment, login, repo_id, number } = commented;
  await handleText(deps, github, {
    run: commented.isPullRequest
      ? await deps.store.publications.ofPull(repo_id, number)
      : await deps.store.runs.ofIssue(repo_id, number),
    text: comment.body,
    source: `comment:${comment.id}`,
    late: commented.foundLate ? comment : undefined,
    issue: number,
    login,
    said_at: comment.created_at,
    comment: { id: comment.id },
  });
}
