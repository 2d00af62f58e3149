const SHORT: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * Undoes JSON escapes in text that need not be valid JSON, so that a help block is found even in a line that cannot be
 * parsed because it is cut or too long.
 */
export function unescapeJsonText(raw: string): string {
  if (!raw.includes('\\')) return raw;
  return raw.replace(/\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g, (_, hex?: string, short = '') =>
    hex === undefined ? (SHORT[short] ?? short) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** The same for text in pieces. An escape that is split over two pieces is buffered until it is complete. */
export function createJsonUnescaper(): { feed(piece: string): string; end(): string } {
  let held = '';
  return {
    feed(piece) {
      const text = held + piece;
      const cut = text.length - unfinishedEscape(text);
      held = text.slice(cut);
      return unescapeJsonText(text.slice(0, cut));
    },
    end() {
      const rest = held;
      held = '';
      return unescapeJsonText(rest);
    },
  };
}

/** How many characters at the end belong to an escape that is not complete (0 to 5). */
function unfinishedEscape(text: string): number {
  const start = text.lastIndexOf('\\');
  if (start < text.length - 5 || start === -1) return 0;
  let backslashes = 0;
  while (backslashes <= start && text[start - backslashes] === '\\') backslashes++;
  // An even number of backslashes is a run of complete escapes.
  if (backslashes % 2 === 0) return 0;
  const after = text.slice(start + 1);
  return after === '' || /^u[0-9a-fA-F]{0,3}$/.test(after) ? text.length - start : 0;
}
