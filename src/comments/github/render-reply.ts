import type { HelpInput } from '../../core/contracts/agent/help-request.ts';
import type { CommentContext } from '../../core/contracts/comment-context.ts';
import type { HelpRows, Reply } from '../../core/contracts/effect.ts';
import { code, fenced, inlineText } from '../text/harmless.ts';
import { blocks, link, marker, renderTable } from '../text/markdown.ts';
import { renderSecret } from './sections/inputs.ts';

const MARKS: Record<Reply['tone'], string> = { taken: '✓ ', waiting: '⏸ ', refused: '✗ ', info: '' };

/** One short reply per command. It mentions nobody and repeats no value. `secrets` are still to be given, but by no comment. */
export function renderReply(
  run: string,
  reply: Reply,
  where: CommentContext,
  help: HelpRows,
  secrets: readonly HelpInput[] = [],
): string {
  const title = `${MARKS[reply.tone]}**${inlineText(reply.title, 200)}**`;
  const detail = (reply.detail ?? '')
    .split(/\n+/)
    .slice(0, 12)
    .map((line) => inlineText(line, 600))
    .filter(Boolean);
  return blocks(
    `${marker('reply', { run, op: where.op })}\n${title}`,
    ...detail,
    ...secrets.map((input) => renderSecret(input, where)),
    reply.link && link(inlineText(reply.link.text, 200), reply.link.url),
    reply.suggestion && fenced(reply.suggestion, 500),
    reply.commands?.length ? commandTable(help(reply.commands)) : undefined,
  );
}

function commandTable(rows: ReturnType<HelpRows>): string {
  return renderTable({
    head: ['Command', 'What it does'],
    rows: rows.map(({ usage, summary }) => [code(usage, 80), summary]),
  });
}
