import { parseComment } from '../../commands/parse-comment.ts';
import { readVisibleText } from '../../commands/reading/visible-text.ts';
import type { Task } from '../../core/contracts/task.ts';
import type { GitHub, GitHubComment } from '../../core/ports/github-port.ts';
import { mayStart } from './permission.ts';

/** If there are more comments, the newest count. */
const MAX_COMMENTS = 30;
const MAX_LENGTH = 65_536;
const HEADING = '## Comments of people with write access, before the label';

/**
 * Adds what people with write access wrote on the issue before it was labelled, because that is where issues are really
 * specified. A comment that was edited afterwards is not what the label was set for, so it is only named.
 */
export async function withCommentsBefore(
  github: GitHub,
  issue: number,
  task: Task,
  labelledAt: string,
): Promise<Task> {
  const before = (await github.comments(issue)).filter(
    (comment) => comment.author_type === 'User' && Date.parse(comment.created_at) <= Date.parse(labelledAt),
  );
  const own = before.filter((comment) => parseComment(comment.body).kind === 'ignore');
  const written = await keepWriters(github, own);
  const parts: string[] = [];
  let hidden = task.hidden ?? { parts: 0, characters: 0, tags: [] };
  let left = MAX_LENGTH;
  for (const comment of written.slice(-MAX_COMMENTS).toReversed()) {
    const day = comment.created_at.slice(0, 10);
    if (Date.parse(comment.updated_at) > Date.parse(labelledAt)) {
      parts.unshift(`@${comment.author}, ${day}: edited after the label was set, so it is left out.`);
      continue;
    }
    const visible = readVisibleText(comment.body);
    if ('problem' in visible) {
      parts.unshift(`@${comment.author}, ${day}: left out, because it cannot be read. ${visible.problem}`);
      continue;
    }
    if (visible.text === '') continue;
    left -= visible.text.length;
    if (left < 0) break;
    parts.unshift(`@${comment.author}, ${day}:\n\n${visible.text}`);
    hidden = {
      parts: hidden.parts + visible.hidden.parts,
      characters: hidden.characters + visible.hidden.characters,
      tags: [...new Set([...hidden.tags, ...visible.tags])],
    };
  }
  const leftOut = written.length - parts.length;
  if (parts.length > 0 && leftOut > 0) parts.unshift(`(${leftOut} older or empty ones are left out.)`);
  if (parts.length === 0) return task;
  const isAnyHidden = hidden.parts + hidden.characters + hidden.tags.length > 0;
  return {
    ...task,
    body: [task.body, HEADING, ...parts].filter((part) => part !== '').join('\n\n'),
    ...(isAnyHidden ? { hidden } : {}),
  };
}

async function keepWriters(github: GitHub, comments: GitHubComment[]): Promise<GitHubComment[]> {
  const writers = new Set<string>();
  for (const login of new Set(comments.map((comment) => comment.author)))
    if (await mayStart(github, login)) writers.add(login);
  return comments.filter((comment) => writers.has(comment.author));
}
