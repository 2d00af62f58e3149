import { cleanLine, cleanLines } from '../text/clean-text.ts';

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Width in columns. Wide glyphs take two, combining marks none. */
export function cellsOf(text: string): number {
  let cells = 0;
  for (const char of text) cells += WIDE.test(char) ? 2 : /\p{M}/u.test(char) ? 0 : 1;
  return cells;
}

/** Text of unknown origin for a terminal: no control or direction characters, wrapped at words, bounded. */
export function terminalText(text: string, width: number, max: number): string[] {
  return (
    cleanLines(disarmLog(text), { chars: max, lines: 60, lineChars: max })
      .flatMap((line) => wrapLine(line, width))
      // Wrapping may move a workflow command to the start of a line. A look-alike keeps the width.
      .map((line) => line.replace(/^(\s*):(?=:)/, '$1\u2236'))
  );
}

/** The same on one line, cut at `width` columns. */
export function terminalLine(text: string, width: number): string {
  return cutCells(cleanLine(disarmLog(text), Math.max(1, width) * 2), width);
}

// In the log of an Actions job these are workflow commands: `::` at the start of a line, the older `##[` anywhere.
function disarmLog(text: string): string {
  return text.replaceAll('##[', '# #[').replace(/^(\s*):(?=:)/gm, '$1: ');
}

export function cutCells(text: string, width: number): string {
  if (cellsOf(text) <= width) return text;
  let cut = '';
  let cells = 0;
  for (const char of text) {
    cells += cellsOf(char);
    if (cells > width - 1) break;
    cut += char;
  }
  return width > 0 ? `${cut.trimEnd()}…` : '';
}

export function padCells(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - cellsOf(text)));
}

/** Splits words that are longer than the line. Leading spaces are kept. */
export function wrapLine(line: string, width: number): string[] {
  const room = Math.max(8, width);
  const indent = (/^ */.exec(line)?.[0] ?? '').slice(0, Math.floor(room / 2));
  const hang = indent + ' '.repeat((/^ *(?:\d{1,3}\. |- )/.exec(line)?.[0] ?? indent).length - indent.length);
  const lines: string[] = [];
  let now = indent;
  for (const word of line.trim().split(/ +/)) {
    for (const piece of splitWord(word, room - hang.length)) {
      const joined = now.trim() === '' ? now + piece : `${now} ${piece}`;
      if (cellsOf(joined) <= room || now.trim() === '') now = joined;
      else {
        lines.push(now);
        now = hang + piece;
      }
    }
  }
  return [...lines, now];
}

function splitWord(word: string, width: number): string[] {
  if (cellsOf(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const char of word) {
    if (cellsOf(piece + char) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += char;
  }
  return [...pieces, piece];
}

/** An option or a command in the words of a terminal, because there are a branch and a pull request on GitHub only. */
export function terminalWords(description: string): string {
  return description
    .replace('the branch is kept', 'the work is kept')
    .replace('open the pull request', 'finish now');
}
