import { paint, type TerminalLook, widthOf } from './style.ts';
import { cellsOf, cutCells, padCells, terminalText, wrapLine } from './terminal-text.ts';

const MARGIN = '   ';

/** There is no right border, so that lines can be copied and wide glyphs break nothing. */
export function renderRule(title: string, look: TerminalLook): string {
  const width = widthOf(look);
  if (!title) return '─'.repeat(width);
  const shown = cutCells(title, width - 7);
  const rest = '─'.repeat(Math.max(3, width - cellsOf(shown) - 4));
  return `── ${paint(shown, 'yellow', look)} ${rest}`;
}

/** A heading with lines below it. Empty without lines. */
export function section(head: string, lines: readonly string[], look: TerminalLook): string[] {
  return lines.length === 0
    ? []
    : ['', MARGIN + paint(head, 'bold', look), ...lines.map((line) => (MARGIN + line).trimEnd())];
}

/** Marks the agent's words with a bar. */
export function barred(text: string, max: number, look: TerminalLook, indent = 0): string[] {
  const bar = `${' '.repeat(indent)}│ `;
  return terminalText(text, widthOf(look) - MARGIN.length - bar.length, max).map((line) =>
    `${bar}${line}`.trimEnd(),
  );
}

export function paragraph(text: string, look: TerminalLook, indent = 0): string[] {
  const pad = ' '.repeat(indent);
  return wrapLine(text, widthOf(look) - MARGIN.length - indent).map((line) => pad + line);
}

/** A paragraph with something short behind its last line, or below it if the line has no room. */
export function paragraphWith(text: string, end: string, look: TerminalLook, indent: number): string[] {
  const lines = paragraph(text, look, indent);
  const last = `${lines.at(-1)}  ${end}`;
  const fits = cellsOf(last) <= widthOf(look) - MARGIN.length;
  return fits ? [...lines.slice(0, -1), last] : [...lines, ' '.repeat(indent) + end];
}

/** Two columns. The second wraps beside the first, or below it if the first is too long. */
export function twoColumns(rows: readonly (readonly [string, string])[], look: TerminalLook): string[] {
  const room = widthOf(look) - MARGIN.length - 2;
  const widest = Math.max(0, ...rows.map(([left]) => left.length).filter((length) => length <= 30));
  const left = Math.min(30, widest) + 3;
  return rows.flatMap(([first, second]) => {
    const lines = second ? wrapLine(second, room - left) : [];
    if (first.length > 30) return [`  ${first}`, ...lines.map((line) => `  ${' '.repeat(left)}${line}`)];
    return [
      `  ${padCells(first, left)}${lines[0] ?? ''}`.trimEnd(),
      ...lines.slice(1).map((line) => `  ${' '.repeat(left)}${line}`),
    ];
  });
}

/** As many figures per line as fit. No figure is split. */
export function packed(parts: readonly string[], look: TerminalLook): string[] {
  const room = widthOf(look) - MARGIN.length;
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const joined = last === undefined ? part : `${last}   ${part}`;
    if (last !== undefined && cellsOf(joined) <= room) lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines.map((line) => MARGIN + line);
}
