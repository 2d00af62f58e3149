import { renderInputLine } from '../../comments/terminal/render-input-line.ts';
import { cellsOf } from '../../comments/terminal/terminal-text.ts';
import type { TypedLine } from './line-editor.ts';

const COLOURS = /\x1b\[[0-9;]*m/g;

interface LiveView {
  /** Draws the live line, and below it the line that is typed, if there is one. */
  draw(live: string, typed: TypedLine | undefined): void;
  /** Prints text above. The lines are drawn again by the next `draw`. */
  print(text: string): void;
}

/** The last lines of a terminal, rewritten in place. */
export function createLiveView(out: NodeJS.WritableStream & { columns?: number }): LiveView {
  /** The cells of the lines above the cursor, and the cursor's own column. Undefined if nothing is drawn. */
  let drawn: { above: number[]; column: number } | undefined;

  /** A terminal that became narrower has wrapped the lines, so the rows are counted with its present width. */
  function erase(): string {
    if (!drawn) return '';
    const columns = Math.max(1, out.columns || 80);
    const rows = (cells: number) => Math.max(1, Math.ceil(cells / columns));
    const up = drawn.above.reduce((sum, cells) => sum + rows(cells), 0) + Math.floor(drawn.column / columns);
    drawn = undefined;
    return `\r${up > 0 ? `\x1b[${up}A` : ''}\x1b[J`;
  }

  return {
    draw(live, typed) {
      const start = erase();
      const cells = cellsOf(live.replace(COLOURS, ''));
      if (!typed) {
        out.write(`${start}${live}`);
        drawn = { above: [], column: cells };
        return;
      }
      const { text, column } = renderInputLine(typed, out.columns || 80);
      out.write(`${start}${live}\n${text}\r${column > 0 ? `\x1b[${column}C` : ''}`);
      drawn = { above: [cells], column };
    },
    print(text) {
      out.write(`${erase()}${text}\n`);
    },
  };
}
