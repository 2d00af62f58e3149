import type { Span } from '../core/secrets/spans.ts';

/** Characters that escaping and rendering may add to a text. */
const ADDED = /[\\`\s]+/g;
const ADDED_OR_REFERENCE = /&(amp|lt|gt|quot|#\d{1,7});|[\\`\s]+/g;
const ESCAPE_OR_REFERENCE = /&(amp|lt|gt|quot|#\d{1,7});|\\(?=[!-/:-@[-`{-~])/g;
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };

export function dropAdded(text: string): string {
  return text.replace(ADDED, '');
}

interface ReadText {
  text: string;
  /** The position in the markdown. */
  whereIs(span: Span): Span;
}

/** The characters that a reader of our markdown sees, without blanks and code marks, and their positions in the markdown. */
export function readMarkdown(markdown: string): ReadText {
  return readText(markdown, ADDED_OR_REFERENCE, (reference) => dropAdded(decode(reference)));
}

/** The same with blanks and code marks, so that words stay apart. */
export function readEscapes(markdown: string): ReadText {
  return readText(markdown, ESCAPE_OR_REFERENCE, decode);
}

function readText(markdown: string, added: RegExp, read: (reference: string) => string): ReadText {
  const pieces: { start: number; from: number; to: number }[] = [];
  let text = '';
  const append = (seen: string, from: number, to: number) => {
    if (seen === '') return;
    pieces.push({ start: text.length, from, to });
    text += seen;
  };
  let from = 0;
  for (const { index, 0: match, 1: reference } of markdown.matchAll(added)) {
    append(markdown.slice(from, index), from, index);
    from = index + match.length;
    if (reference !== undefined) append(read(reference), index, from);
  }
  append(markdown.slice(from), from, markdown.length);

  /** Binary search for the piece with the character. */
  const pieceAt = (at: number) => {
    let low = 0;
    let high = pieces.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((pieces[middle]?.start ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return pieces[low] ?? { start: 0, from: 0, to: 0 };
  };
  return {
    text,
    whereIs(span) {
      const first = pieceAt(span.from);
      const last = pieceAt(span.to - 1);
      return {
        from: Math.min(first.from + span.from - first.start, first.to),
        // A character reference is one character, whatever its length.
        to: markdown[last.from] === '&' ? last.to : last.from + span.to - last.start,
      };
    },
  };
}

function decode(reference: string): string {
  if (!reference.startsWith('#')) return NAMED[reference] ?? '';
  const code = Number(reference.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}
