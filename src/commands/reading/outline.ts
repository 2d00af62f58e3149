import type { Piece } from './shown-text.ts';

/** A heading or an item of a list, in the order of the text. Items of inner lists follow their parent. */
export type OutlineEntry = { kind: 'heading'; depth: number; text: string } | { kind: 'item'; text: string };

interface Capture {
  entry: OutlineEntry;
  pieces: Piece[];
}

/** Collects the texts of headings and items while they are written. */
export class Outline {
  readonly #entries: OutlineEntry[] = [];
  readonly #open: Capture[] = [];

  /** Text in a quote is no part of the outline, but its text must not count as that of the entry around it. */
  start(entry: OutlineEntry, { isQuoted }: { isQuoted: boolean }): void {
    if (!isQuoted) this.#entries.push(entry);
    this.#open.push({ entry, pieces: [] });
  }

  add(pieces: readonly Piece[]): void {
    this.#open.at(-1)?.pieces.push(...pieces);
  }

  /** False if no entry of this kind is open innermost. */
  end(kind: OutlineEntry['kind']): boolean {
    const capture = this.#open.at(-1);
    if (capture?.entry.kind !== kind) return false;
    this.#open.pop();
    complete(capture);
    return true;
  }

  finish(): OutlineEntry[] {
    this.#open.forEach(complete);
    return this.#entries.filter((entry) => entry.text !== '');
  }
}

function complete({ entry, pieces }: Capture): void {
  const own = entry.kind === 'heading' ? pieces.filter((piece) => !piece.isMark) : pieces;
  entry.text = own
    .map((piece) => piece.text)
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}
