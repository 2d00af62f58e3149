import { fenced } from './harmless.ts';
import { blocks, renderTable, type Table } from './markdown.ts';
import { count } from './words.ts';

/** GitHub refuses comments of more than 65,536 characters. People stop reading long before. */
const TARGET_CHARS = 20_000;

/** A section behind a summary line. Its tables and raw texts can be shortened, its strings cannot. */
export interface Fold {
  /** HTML that names the content and its size. */
  summary: string;
  content: (string | Table | RawText)[];
}

interface RawText {
  raw: string;
  info?: string;
}

/** Limits for rows of tables and characters of raw text. */
const STEPS = [
  [40, 4_000],
  [20, 2_000],
  [10, 1_000],
  [5, 500],
] as const;

/** Folds are shortened first, then left out, the last one first. All other parts are kept whole (B-8). */
export function fitComment(parts: (string | undefined | false | Fold)[], rest: string): string {
  const kept = parts.filter((part): part is string | Fold => Boolean(part));
  for (const [rows, chars] of STEPS) {
    const text = render(kept, rows, chars, rest);
    if (text.length <= TARGET_CHARS) return text;
  }
  const [rows, chars] = STEPS[3];
  for (let at = kept.length - 1; at >= 0; at -= 1) {
    const part = kept[at];
    if (typeof part === 'string' || part === undefined) continue;
    kept[at] = `Omitted for length: ${part.summary} (${rest}).`;
    const text = render(kept, rows, chars, rest);
    if (text.length <= TARGET_CHARS) return text;
  }
  return render(kept, rows, chars, rest);
}

function render(parts: (string | Fold)[], rows: number, chars: number, rest: string): string {
  return blocks(
    ...parts.map((part) => (typeof part === 'string' ? part : renderFold(part, rows, chars, rest))),
  );
}

function renderFold(fold: Fold, rows: number, chars: number, rest: string): string {
  const body = fold.content.flatMap((item) => {
    if (typeof item === 'string') return [item];
    if ('raw' in item) return [fenced(item.raw, chars, item.info)];
    const more = item.rows.length - rows;
    const shown = renderTable({ ...item, rows: item.rows.slice(0, rows) });
    return more > 0 ? [shown, `${count(more, 'more row')} ${rest}.`] : [shown];
  });
  // GitHub reads markdown inside <details> only after a blank line.
  return `<details><summary>${fold.summary}</summary>\n\n${blocks(...body)}\n\n</details>`;
}
