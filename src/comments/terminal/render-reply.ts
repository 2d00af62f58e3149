import type { CommandName } from '../../core/contracts/command.ts';
import type { HelpRows, Reply } from '../../core/contracts/effect.ts';
import { twoColumns } from './sections.ts';
import { paintState, type TerminalLook, widthOf } from './style.ts';
import { terminalText, terminalWords } from './terminal-text.ts';

const MARKS: Record<Reply['tone'], string> = { taken: '✓ ', waiting: '⏸ ', refused: '✗ ', info: '  ' };

/** Both end the run, and at a terminal one of them is enough. */
function terminalCommands(names: Reply['commands'] = []): CommandName[] {
  return [...new Set(names.map((name) => (name === 'terminate' ? 'cancel' : name)))];
}

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
      help(terminalCommands(reply.commands)).map(
        ({ usage, summary }) => [usage, terminalWords(summary)] as const,
      ),
      look,
    ),
  ].join('\n');
}
