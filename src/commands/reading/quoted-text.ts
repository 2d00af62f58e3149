/** The closing quote of each opening one. Phones and editors insert curly quotes on their own. */
const CLOSING: Record<string, string> = {
  '"': '"',
  "'": "'",
  '“': '”“"',
  '”': '”"',
  '„': '“”"',
  '‟': '”"',
  '‘': "’‘'",
  '’': "’'",
  '‚': "‘’'",
};

type QuotedText = { closed: true; value: string; end: number } | { closed: false };

/** True when a quote opens at this offset. */
export function opensQuote(text: string, at: number): boolean {
  return Object.hasOwn(CLOSING, text.charAt(at));
}

/** Reads a quoted text. A backslash escapes only a quote or a backslash, so that `"C:\new"` keeps its meaning. */
export function readQuoted(text: string, start: number): QuotedText {
  const closing = CLOSING[text.charAt(start)] ?? '';
  let value = '';
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    if (character === '\\' && (next === '\\' || Object.hasOwn(CLOSING, next))) {
      value += next;
      at += 1;
    } else if (closing.includes(character)) {
      return { closed: true, value, end: at + 1 };
    } else {
      value += character;
    }
  }
  return { closed: false };
}
