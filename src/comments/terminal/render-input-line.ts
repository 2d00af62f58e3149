import { cellsOf } from './terminal-text.ts';

const PROMPT = '> ';

/** The line that is typed, and the column of its cursor. A line that is too long shows the part around the cursor. */
export function renderInputLine(
  { characters, cursor }: { characters: readonly string[]; cursor: number },
  width: number,
): { text: string; column: number } {
  const room = Math.max(4, width - PROMPT.length - 1);
  let from = cursor;
  for (let cells = 0; from > 0; from -= 1) {
    cells += cellsOf(characters[from - 1] ?? '');
    if (cells > room - 1) break;
  }
  let to = cursor;
  for (let cells = cellsOf(characters.slice(from, cursor).join('')); to < characters.length; to += 1) {
    cells += cellsOf(characters[to] ?? '');
    if (cells > room) break;
  }
  const before = characters.slice(from, cursor).join('');
  return {
    text: `${PROMPT}${before}${characters.slice(cursor, to).join('')}`,
    column: PROMPT.length + cellsOf(before),
  };
}
