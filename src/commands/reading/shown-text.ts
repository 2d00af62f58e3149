/** A container that marks its lines, such as a quote or an item. */
interface Container {
  /** Before its first line. */
  first: string;
  /** Before its other lines. */
  rest: string;
  isUsed: boolean;
}

/** A piece of the text, and whether it is only a mark of markdown. */
export interface Piece {
  text: string;
  isMark: boolean;
}

/** The number of containers that mark their lines. It bounds the length of these marks. */
const MOST_MARKED = 20;

const UNMARKED: Container = { first: '', rest: '', isUsed: true };

/** Writes text as markdown, piece by piece: marks of containers, blank lines between blocks, no white space that HTML ignores. */
export class ShownText {
  readonly #pieces: Piece[] = [];
  readonly #containers: Container[] = [];
  /** Line ends that are due before the next text. */
  #due = 0;
  #isLineStart = true;
  #endsInSpace = true;

  open(first: string, rest: string): void {
    const isMarked = this.#containers.length < MOST_MARKED;
    this.#containers.push(isMarked ? { first, rest, isUsed: false } : UNMARKED);
  }

  close(): void {
    this.#containers.pop();
  }

  /** Asks for line ends before the next text. The first block of an item begins on the item's own line. */
  break(lines: number): void {
    if (this.#containers.at(-1)?.isUsed !== false) this.#due = Math.max(this.#due, lines);
  }

  /** Text of which HTML shows white space as one blank. Its line ends are kept. */
  write(text: string, isMark = false): Piece[] {
    if (!/\s/.test(text)) return text === '' ? [] : this.#put(text, isMark);
    const calm = text.replace(/[^\S\n]+/g, ' ').replace(/ ?\n[ \n]*/g, '\n');
    const start = this.#due > 0 || this.#isLineStart || this.#endsInSpace ? calm.trimStart() : calm;
    return start === '' ? [] : this.#put(start, isMark);
  }

  /** Text that is shown as it is. */
  writeExactly(text: string, isMark = false): Piece[] {
    return this.#put(text, isMark);
  }

  toString(): string {
    let text = '';
    for (const piece of this.#pieces) text += piece.text;
    return text;
  }

  #put(text: string, isMark: boolean): Piece[] {
    const pieces: Piece[] = [];
    const push = (piece: Piece): void => {
      this.#pieces.push(piece);
      pieces.push(piece);
    };
    if (this.#endLines()) pieces.push({ text: '\n', isMark: false });
    let from = 0;
    for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
      this.#startLine(from === to);
      push({ text: text.slice(from, to), isMark });
      push({ text: '\n', isMark: false });
      this.#isLineStart = true;
      from = to + 1;
    }
    if (from < text.length) {
      this.#startLine(false);
      push({ text: from === 0 ? text : text.slice(from), isMark });
    }
    this.#endsInSpace = /\s$/.test(text);
    return pieces;
  }

  /** Writes the line ends that are due. False if there are none. */
  #endLines(): boolean {
    const due = this.#pieces.length > 0 ? this.#due : 0;
    this.#due = 0;
    if (due === 0) return false;
    // A line end that the text itself has counts.
    for (let line = this.#isLineStart ? 1 : 0; line < due; line += 1) {
      if (line > 0) {
        this.#isLineStart = true;
        this.#startLine(true);
      }
      this.#pieces.push({ text: '\n', isMark: false });
    }
    this.#isLineStart = true;
    return true;
  }

  #startLine(isBlank: boolean): void {
    if (!this.#isLineStart) return;
    let marks = '';
    for (const container of this.#containers.slice(0, MOST_MARKED)) {
      if (isBlank && !container.isUsed) break;
      marks += container.isUsed ? container.rest : container.first;
      container.isUsed = true;
    }
    if (isBlank) marks = marks.trimEnd();
    if (marks !== '') this.#pieces.push({ text: marks, isMark: false });
    this.#isLineStart = false;
  }
}
