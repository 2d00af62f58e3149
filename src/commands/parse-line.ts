import { COMMAND_NAMES } from '../core/contracts/command.ts';
import { nearestName } from '../core/nearest-name.ts';
import { interpretCommand, suggestLine } from './interpret-command.ts';
import { showWord } from './reading/words.ts';
import { COMMANDS, findCommand } from './registry.ts';
import type { CommandSpec, CommandText, ParsedText } from './spec/command-spec.ts';

const MAX_LENGTH = 65_536;
const LINE = /^[\s\u200b-\u200f\u2060]*[/\uff0f]?([^\s/.,:;!?…]*)([.,:;!?…]*)(?=\s|$)([\s\S]*)$/u;

/** Parses a line typed at the prompt. The slash is optional, and a unique prefix of a name is enough. */
export function parseTerminalLine(line: string): ParsedText {
  if (line.trim() === '') return { kind: 'ignore' };
  if (line.length > MAX_LENGTH)
    return { kind: 'reply', problem: 'That line is too long.', suggestion: '/help' };
  const order = line.replace(/^\s*\/?autobuild(?=\s|$)/i, '');
  const [, word = '', punctuation = '', rest = ''] = LINE.exec(order.trim() === '' ? 'help' : order) ?? [];
  const args: CommandText = {
    line: punctuation.includes('?') ? `?${rest}` : rest,
    following: '',
    blocks: [],
    canPrompt: true,
  };
  const found = findByBeginning(word.toLowerCase());
  if (found.length === 1 && found[0]) return interpretCommand(found[0], args);
  const shown = showWord(word) ?? 'That';
  if (found.length > 1) {
    const names = found.map((spec) => `\`/${spec.name}\``).join(' or ');
    return { kind: 'reply', problem: `${shown} could be ${names}: type more of it.` };
  }
  const near = nearestName(word.toLowerCase(), COMMAND_NAMES);
  if (!near) return { kind: 'reply', problem: `${shown} is not a command.`, suggestion: '/help' };
  const problem = `${shown} is not a command. Did you mean this?`;
  return { kind: 'reply', problem, suggestion: suggestLine(near, args) };
}

function findByBeginning(word: string): CommandSpec[] {
  if (word === '') return [];
  const exact = findCommand(word);
  if (exact) return [exact];
  return COMMAND_NAMES.filter((name) => name.startsWith(word)).map((name) => COMMANDS[name]);
}
