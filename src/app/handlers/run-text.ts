import { parseComment } from '../../commands/parse-comment.ts';
import type { GitHub } from '../../core/github-port.ts';
import type { AppParts } from '../parts.ts';
import { type Asked, runCommand } from './run-command.ts';

/** What a person wrote, once: the key is where it stands and its text, so webhook and reconcile may come in any order. */
export async function runText(
  parts: AppParts,
  github: GitHub,
  written: Pick<Asked, 'issue' | 'login' | 'comment' | 'review'> & {
    run: string | undefined;
    text: string;
    /** `comment:<id>` */
    source: string;
  },
): Promise<void> {
  const { run, text, source, ...asked } = written;
  const parsed = parseComment(text);
  if (parsed.kind === 'ignore' || !run) return;
  const seen = `${source}:${parts.hash(text)}`;
  const handled = `handled:${seen}`;
  if (await parts.store.marks.get(handled)) return;
  await runCommand(parts, github, { ...asked, run, via: 'comment', parsed, seen });
  await parts.store.marks.set(handled, parts.now().toISOString());
}
