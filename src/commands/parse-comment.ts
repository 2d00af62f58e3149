import { COMMAND_NAMES } from '../core/contracts/command.ts';
import { nearestName } from '../core/nearest-name.ts';
import { interpretCommand, suggestLine } from './interpret-command.ts';
import type { Block } from './reading/find-blocks.ts';
import { type CommandLine, findCommandLines } from './reading/find-command-lines.ts';
import { findOriginal } from './reading/mail-reply.ts';
import { readVisibleText } from './reading/visible-text.ts';
import { showWord, tidyWords } from './reading/words.ts';
import { COMMANDS, findCommand } from './registry.ts';
import type { CommandSpec, CommandText, FollowingBlock, ParsedText } from './spec/command-spec.ts';

/** GitHub accepts 65,536 characters, so a text of more than twice that is not a comment. */
const MAX_LENGTH = 131_072;
const OWN_MARKER = /<!--\s*autobuild:/i;

/**
 * Finds the command in a comment. A command counts only where people see it as the author's own words: at the beginning
 * of a line in a plain paragraph. Quotes, code, lists and HTML are ignored. With `isOwn` it was typed at this terminal,
 * so that nothing in it is hidden from its author.
 */
export function parseComment(text: string, { isOwn = false } = {}): ParsedText {
  if (text.length > MAX_LENGTH || OWN_MARKER.test(text)) return { kind: 'ignore' };
  const source = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const { lines, blocks, problem } = findCommandLines(source);
  if (problem)
    return { kind: 'reply', problem: `This comment contains a command, but cannot be read. ${problem}` };
  const [first, ...others] = lines;
  if (!first) return { kind: 'ignore' };
  const address = readAddress(first);
  const args: CommandText = {
    line: address.rest,
    following: source.slice(first.end + 1),
    blocks: listFollowing(source, blocks, first),
    canPrompt: false,
  };
  const unclear = questionName(first, address, args);
  if (unclear) return unclear;
  const { spec } = address;
  if (!spec) return { kind: 'ignore' };
  if (others.some((other) => isAnotherOrder(spec, address.rest, other)))
    return { kind: 'reply', problem: 'This comment contains several commands: send one at a time.' };
  return interpretCommand(spec, spec.takes === 'text' && !isOwn ? asShown(args) : args);
}

/** Free text reaches the agent, so it is what readers of the comment see. */
function asShown(args: CommandText): CommandText {
  const written = `${args.line}\n${args.following}`;
  const visible = readVisibleText(written.slice(0, findOriginal(written)));
  if ('problem' in visible) return { ...args, line: '', following: '' };
  const { parts, characters } = visible.hidden;
  return { ...args, line: '', following: visible.text, hidden: parts + characters };
}

interface Address {
  /** The command, when its name is certain. */
  spec?: CommandSpec;
  /** The word in the place of the command's name. */
  word: string;
  rest: string;
}

/** Skips the `/autobuild` of `/autobuild <command>`. `/autobuild` alone asks for help. */
function readAddress(line: CommandLine): Address {
  if (line.known !== 'autobuild') {
    return { spec: line.exact ? COMMANDS[line.known] : undefined, word: line.word, rest: line.rest };
  }
  const inner = /^[\s.,:;!?…]*\/?([^\s.,:;!?…]+)[.,:;!…]*([\s\S]*)$/u.exec(line.rest);
  if (!inner) return { spec: COMMANDS.help, word: 'help', rest: '' };
  const [, word = '', rest = ''] = inner;
  return { spec: findCommand(word), word, rest };
}

/** The reply to a name that is misspelt or unknown, or that follows a look-alike of a slash. */
function questionName(
  line: CommandLine,
  { spec, word, rest }: Address,
  args: CommandText,
): ParsedText | undefined {
  const name = spec?.name ?? nearestName(word.toLowerCase(), COMMAND_NAMES);
  const suggestion = name ? suggestLine(name, { ...args, line: rest }) : '/help';
  const question = name ? ' Did you mean this?' : '';
  if (!line.exact)
    return { kind: 'reply', problem: `\`/${line.word}\` is not a command.${question}`, suggestion };
  if (!spec)
    return { kind: 'reply', problem: `${showWord(word) ?? 'That'} is not a command.${question}`, suggestion };
  if (line.slash !== '/')
    return {
      kind: 'reply',
      problem: `A command starts with a plain \`/\`; this is another character, \`${line.slash}\`.`,
      suggestion,
    };
  return undefined;
}

/** True when a later line gives an order that the first one does not. */
function isAnotherOrder(spec: CommandSpec, rest: string, line: CommandLine): boolean {
  const other = readAddress(line);
  // Free text may well contain a line that resembles a command.
  if (!line.exact || !other.spec) return spec.takes !== 'text';
  if (other.spec.name !== spec.name) return true;
  if (spec.takes === 'values') return false;
  return spec.takes === 'text' || tidyWords(other.rest) !== tidyWords(rest);
}

function listFollowing(source: string, blocks: Block[], first: CommandLine): FollowingBlock[] {
  const following: FollowingBlock[] = [];
  for (const block of blocks.slice(first.block)) {
    if (block.kind === 'paragraph') {
      const start = Math.max(block.start, first.end + 1);
      if (start >= block.end) continue;
      for (const text of source.slice(start, block.end).split('\n')) following.push({ kind: 'line', text });
    } else if (block.kind === 'fence') {
      following.push({ kind: 'fence', content: block.content, closed: block.closed });
    } else {
      following.push({ kind: 'other' });
    }
  }
  return following;
}
