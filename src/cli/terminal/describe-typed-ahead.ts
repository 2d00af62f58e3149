import { parseTerminalLine } from '../../commands/parse-line.ts';
import { COMMAND_NAMES, showCommand } from '../../core/contracts/command.ts';

/** Names the commands that were typed. Values and free text are not repeated, because they may be secret. */
export function describeTypedAhead(typed: string): string {
  const lines = typed.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  return lines.length === 0 ? 'an empty line' : lines.map(describeLine).join(', ');
}

function describeLine(line: string): string {
  const parsed = parseTerminalLine(line);
  if (parsed.kind === 'command') {
    const { command } = parsed;
    return 'text' in command ? `/${command.name} …` : showCommand(command);
  }
  const word = /^\s*\/?([a-z]+)/i.exec(line)?.[1]?.toLowerCase();
  const isBeginning = word !== undefined && COMMAND_NAMES.some((name) => name.startsWith(word));
  return isBeginning ? `/${word} …` : 'text that is not a command';
}
