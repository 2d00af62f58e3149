import type { Reply } from '../../core/effect.ts';
import { COMMAND_HELP } from '../command-help.ts';
import { twoColumns } from './sections.ts';
import { paintState, type TerminalLook, widthOf } from './style.ts';
import { terminalText } from './terminal-text.ts';

const MARKS: Record<Reply['tone'], string> = { taken: '✓ ', waiting: '⏸ ', refused: '✗ ', info: '  ' };

/** The reply to a command typed here. Backticks are for comments and go. */
export function renderTerminalReply(reply: Reply, look: TerminalLook): string {
  const width = widthOf(look) - 2;
  const lines = (text: string | undefined, max: number) =>
    text ? terminalText(text.replaceAll('`', ''), width, max) : [];
  const [first = '', ...more] = lines(reply.title, 300);
  return [
    paintState(`${MARKS[reply.tone]}${first}`, look),
    ...[...more, ...lines(reply.detail, 1_000)].map((line) => `  ${line}`),
    ...lines(reply.suggestion, 300).map((line) => `    ${line}`),
    ...twoColumns(
      (reply.commands ?? []).map((name) => [COMMAND_HELP[name].form, COMMAND_HELP[name].does] as const),
      look,
    ),
  ].join('\n');
}
