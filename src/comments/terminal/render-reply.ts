import type { HelpRows, Reply } from '../../core/contracts/effect.ts';
import { twoColumns } from './sections.ts';
import { paintState, type TerminalLook, widthOf } from './style.ts';
import { terminalText } from './terminal-text.ts';

const MARKS: Record<Reply['tone'], string> = { taken: '✓ ', waiting: '⏸ ', refused: '✗ ', info: '  ' };

/** The reply to a command typed in the terminal. Backticks are removed, because they are markdown. */
export function renderTerminalReply(reply: Reply, look: TerminalLook, help: HelpRows): string {
  const width = widthOf(look) - 2;
  const lines = (text: string | undefined, max: number) =>
    text ? terminalText(text.replaceAll('`', ''), width, max) : [];
  const [first = '', ...more] = lines(reply.title, 300);
  return [
    paintState(`${MARKS[reply.tone]}${first}`, look),
    ...[...more, ...lines(reply.detail, 1_000)].map((line) => `  ${line}`),
    ...lines(reply.suggestion, 300).map((line) => `    ${line}`),
    ...twoColumns(
      help((reply.commands ?? []).filter((name) => name !== 'terminate')).map(
        ({ usage, summary }) => [usage, summary] as const,
      ),
      look,
    ),
  ].join('\n');
}
