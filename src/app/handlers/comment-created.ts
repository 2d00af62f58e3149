import { parseComment } from '../../commands/parse-comment.ts';
import type { GitHub } from '../../core/github-port.ts';
import type { AppParts } from '../parts.ts';
import { runCommand } from './run-command.ts';

export interface Commented {
  comment: { id: number; body: string };
  login: string;
  repo_id: number;
  /** The number of the issue, or of the pull request. */
  number: number;
  isPullRequest: boolean;
}

/** The same from a webhook and from reconcile: the key is the comment and its text, so either may come first. */
export async function onCommentCreated(parts: AppParts, github: GitHub, commented: Commented): Promise<void> {
  const { comment, login, repo_id, number } = commented;
  const parsed = parseComment(comment.body);
  if (parsed.kind === 'ignore') return;
  const run = commented.isPullRequest
    ? await parts.store.marks.get(`run-of-pull:${repo_id}:${number}`)
    : await parts.store.runs.ofIssue(repo_id, number);
  if (!run) return;
  const seen = `comment:${comment.id}:${parts.hash(comment.body)}`;
  const handled = `handled:${seen}`;
  if (await parts.store.marks.get(handled)) return;
  await runCommand(parts, github, {
    run,
    issue: number,
    login,
    via: 'comment',
    parsed,
    seen,
    comment: { id: comment.id },
  });
  await parts.store.marks.set(handled, parts.now().toISOString());
}
