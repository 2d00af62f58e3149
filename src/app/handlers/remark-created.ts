import { parseComment } from '../../commands/parse-comment.ts';
import type { AppDependencies } from '../dependencies.ts';
import { write } from '../handle-input.ts';

interface Remark {
  body: string;
  login: string;
  repo_id: number;
  /** The number of the pull request. */
  number: number;
}

/** Commands in remarks on lines are not handled. Each person is told once per pull request where to write them. */
export async function onRemarkCreated(
  deps: AppDependencies,
  { body, login, repo_id, number }: Remark,
): Promise<void> {
  const run = await deps.store.publications.ofPull(repo_id, number);
  if (!run || parseComment(body).kind === 'ignore') return;
  const reply = {
    tone: 'refused' as const,
    title: `@${login}, commands in line comments are not read: write it as a comment on this pull request or its issue, or as the summary of a review.`,
    detail: 'Delete the line comment if it contains a secret.',
  };
  await write(deps, run, [{ type: 'reply', reply, on: number }], [`remark:${repo_id}:${number}:${login}`]);
}
