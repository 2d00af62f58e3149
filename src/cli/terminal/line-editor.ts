/** A line that is being typed. The cursor counts characters, not bytes or columns. */
export interface TypedLine {
  readonly characters: readonly string[];
  readonly cursor: number;
}

type Key = 'enter' | 'interrupt';

interface Edited {
  line: TypedLine;
  /** A key that the line itself does not use. */
  key?: Key;
}

export const EMPTY_LINE: TypedLine = { characters: [], cursor: 0 };

const MAX_CHARACTERS = 20_000;
const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';
/** One key: a paste, an escape sequence, a lone escape, or a character. */
const KEYS = /\x1b\[200~[\s\S]*?(?:\x1b\[201~|$)|\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O[A-Za-z])?|[\s\S]/gu;
/** The beginning of a sequence or of a paste, whose end is still on its way. */
const UNFINISHED = /\x1b(?:O|\[[0-9;?]*)?$|\x1b\[200~(?![\s\S]*\x1b\[201~)[\s\S]*$/;
const MAX_UNFINISHED = 200_000;

/** Splits the input of a terminal into keys. `rest` has to be read again together with the next input. */
export function readKeys(text: string): { keys: string[]; rest: string } {
  const cut = UNFINISHED.exec(text)?.index ?? text.length;
  const end = text.length - cut > MAX_UNFINISHED ? text.length : cut;
  return { keys: text.slice(0, end).match(KEYS) ?? [], rest: text.slice(end) };
}

/** The line after one key. Keys without a meaning change nothing, so that no control character gets into a line. */
export function editLine(line: TypedLine, key: string): Edited {
  if (key.startsWith(PASTE_BEGIN))
    return { line: insert(line, key.slice(PASTE_BEGIN.length).replace(PASTE_END, '')) };
  switch (key) {
    case '\r':
    case '\n':
      return { line, key: 'enter' };
    case '\x03':
      return { line, key: 'interrupt' };
    case '\x04':
      return { line: remove(line, 0, 1) };
    case '\x7f':
    case '\b':
      return { line: remove(line, -1, 0) };
    case '\x1b[3~':
      return { line: remove(line, 0, 1) };
    case '\x15':
      return { line: remove(line, -line.cursor, 0) };
    case '\x0b':
      return { line: remove(line, 0, line.characters.length) };
    case '\x17':
      return { line: remove(line, -wordBefore(line), 0) };
    case '\x1b[D':
    case '\x02':
      return { line: moveTo(line, line.cursor - 1) };
    case '\x1b[C':
    case '\x06':
      return { line: moveTo(line, line.cursor + 1) };
    case '\x1b[H':
    case '\x1bOH':
    case '\x1b[1~':
    case '\x01':
      return { line: moveTo(line, 0) };
    case '\x1b[F':
    case '\x1bOF':
    case '\x1b[4~':
    case '\x05':
      return { line: moveTo(line, line.characters.length) };
    default:
      return { line: key.startsWith('\x1b') ? line : insert(line, key) };
  }
}

export function textOf({ characters }: TypedLine): string {
  return characters.join('');
}

/** The lines of a paste become one line, because only the Enter key sends a line. */
function insert({ characters, cursor }: TypedLine, text: string): TypedLine {
  const added = [...text.replace(/[\r\n\t]+/g, ' ').replace(/\p{Cc}/gu, '')].slice(
    0,
    Math.max(0, MAX_CHARACTERS - characters.length),
  );
  return {
    characters: [...characters.slice(0, cursor), ...added, ...characters.slice(cursor)],
    cursor: cursor + added.length,
  };
}

/** Removes the characters between two positions relative to the cursor. */
function remove({ characters, cursor }: TypedLine, from: number, to: number): TypedLine {
  const start = Math.max(0, cursor + from);
  return { characters: [...characters.slice(0, start), ...characters.slice(cursor + to)], cursor: start };
}

function moveTo({ characters }: TypedLine, cursor: number): TypedLine {
  return { characters, cursor: Math.min(characters.length, Math.max(0, cursor)) };
}

function wordBefore({ characters, cursor }: TypedLine): number {
  return /\S*\s*$/u.exec(characters.slice(0, cursor).join(''))?.[0].length ?? 0;
}
