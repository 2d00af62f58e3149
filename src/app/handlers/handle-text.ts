import { parseComment } from '../../commands/parse-comment.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { type Asked, handleCommand } from './handle-command.ts';

/**
 * Handles a person's text once. The key is the id of the comment or review, so webhook and reconcile may come in any order and an
 * edit is not a second command. A text found late counts only if its author was the last to edit it, because people with write
 * access can edit the texts of others.
 */
export async function handleText(
  deps: AppDependencies,
  github: GitHub,
  written: Pick<Asked, 'issue' | 'login' | 'said_at' | 'comment' | 'review'> & {
    run: string | undefined;
    text: string;
    /** `comment:<id>` */
    source: string;
    /** Set if reconcile read the text from GitHub, because it may have been edited since. */
    late?: { node_id: string };
  },
): Promise<void> {
  const { run, text, source, late, ...asked } = written;
  if (!run) return;
  const { runs } = deps.store;
  if (await runs.wasSeen(source)) return;
  const parsed = parseComment(text);
  // A text without a command is handled as well: an edit does not make it one.
  if (parsed.kind === 'ignore') return runs.remember(run, source);
  if (late && !(await isAuthorsOwn(github, late.node_id, asked.login))) {
    deps.log.warn({ run, source }, 'a command that somebody else may have edited was left alone');
    return runs.remember(run, source);
  }
  await handleCommand(deps, github, { ...asked, run, via: 'comment', parsed, seen: source, text });
}

async function isAuthorsOwn(github: GitHub, nodeId: string, author: string): Promise<boolean> {
  const edit = await github.lastEdit(nodeId);
  return edit !== undefined && (edit.at === undefined || edit.by === author);
}
