import type { Command, CommandName } from '../../core/contracts/command.ts';

/** A block of the comment after the command's own line, in order: only `/provide` looks at them. */
export type FollowingBlock =
  | { kind: 'line'; text: string }
  | { kind: 'fence'; content: string; closed: boolean }
  | { kind: 'other' };

/** What was written after the command's name, always the source text and never its rendering. */
export interface CommandText {
  /** The rest of the command's own line. */
  line: string;
  /** Everything after that line, to the end of the comment. */
  following: string;
  /** The same, cut into lines of plain paragraphs and fenced blocks. */
  blocks: FollowingBlock[];
  /** The caller can ask for what is missing: a terminal can, a comment cannot. */
  canPrompt: boolean;
}

/** `problem` is a sentence; `suggestion` a line that would work, so that "Did you mean this?" can follow. Neither holds a value. */
export type ParsedCommand =
  | { ok: true; command: Command }
  | { ok: false; problem: string; suggestion?: string };

/** Everything there is to know about one command: its form, its help and its parser. */
export interface CommandSpec {
  name: CommandName;
  usage: string;
  summary: string;
  /** A line that parses, shown when the right form has to be shown. */
  example: string;
  /** What follows belongs to the command: free text, or more values. */
  takes: 'nothing' | 'words' | 'text' | 'values';
  parse(args: CommandText): ParsedCommand;
}

/** What a comment or a typed line comes to. */
export type ParsedText =
  | { kind: 'command'; command: Command }
  | { kind: 'reply'; problem: string; suggestion?: string }
  | { kind: 'ignore' };
