import type { Command, CommandName } from '../../core/contracts/command.ts';

/** A block of the comment after the command's own line, in order. Only `/provide` reads them. */
export type FollowingBlock =
  | { kind: 'line'; text: string }
  | { kind: 'fence'; content: string; closed: boolean }
  | { kind: 'other' };

/** The text after the command's name, as it is written. Free text is given as readers see it. */
export interface CommandText {
  /** The rest of the command's own line. */
  line: string;
  /** Everything after that line, to the end of the comment. */
  following: string;
  /** The same text, split into lines of plain paragraphs and fenced blocks. */
  blocks: FollowingBlock[];
  /** True when the caller can ask for missing values. A terminal can, a comment cannot. */
  canPrompt: boolean;
  /** The number of parts and characters that are not in free text, because readers do not see them. */
  hidden?: number;
}

/**
 * `problem` is a sentence. `suggestion` is a line that would work, for "Did you mean this?", and `hint` says how to write it in a
 * comment. None of them contains a value.
 */
export type ParsedCommand = { ok: true; command: Command } | ({ ok: false } & Misread);

interface Misread {
  problem: string;
  hint?: string;
  suggestion?: string;
  /** The paths of `/approve` cannot be read. The open question says which ones may be meant. */
  isAboutPaths?: true;
}

/** The grammar of one command: its form, its help and its parser. */
export interface CommandSpec {
  name: CommandName;
  usage: string;
  summary: string;
  /** A line that parses, for messages that show the right form. */
  example: string;
  /** The arguments: none, words on the line, free text, or values. */
  takes: 'nothing' | 'words' | 'text' | 'values';
  parse(args: CommandText): ParsedCommand;
}

/** The outcome of a comment or a typed line. */
export type ParsedText =
  | { kind: 'command'; command: Command }
  | ({ kind: 'reply' } & Misread)
  | { kind: 'ignore' };
