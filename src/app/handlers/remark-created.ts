import { parseComment } from '../../commands/parse-comment.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { write } from '../handle-input.ts';
import { handleText } from './handle-text.ts';

interface Remark {
  id: number;
  body: string;
  login: string;
  /** The time of its review, or of its last edit. It may have been drafted long before. */
  said_at: string;
  repo_id: number;
  /** The number of the pull request. */
  number: number;
}

/**
 * V-2: commands in remarks on lines are handled like those in comments. Values are not taken there, because a remark with a
 * secret cannot be deleted; each person is told once per pull request.
 */
export async function onRemarkCreated(
  deps: AppDependencies,
  github: GitHub,
  { id, body, login, said_at, repo_id, number }: Remark,
): Promise<void> {
  const run = await deps.store.publications.ofPull(repo_id, number);
  const parsed = parseComment(body);
  if (!run || parsed.kind === 'ignore') return;
  const hasValues = parsed.kind === 'command' ? parsed.command.name === 'provide' : body.includes('/provide');
  if (!hasValues)
    return handleText(deps, github, {
      run,
      text: body,
      source: `remark:${id}`,
      issue: number,
      login,
      said_at,
    });
  const reply = {
    tone: 'refused' as const,
    title: `@${login}, values in line comments are not read: write \`/provide\` as a comment on this pull request or its issue, or as the summary of a review.`,
    detail: 'Delete the line comment if it contains a secret.',
  };
  await write(deps, run, [{ type: 'reply', reply, on: number }], [`remark:${repo_id}:${number}:${login}`]);
}
