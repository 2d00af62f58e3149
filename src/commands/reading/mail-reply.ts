/** Lines that mail programs write above the message that is answered. */
const ABOVE_ORIGINAL = [
  /^-{2,} ?(?:original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original) ?-{2,}$/i,
  /^(?:on|am|le|el|il|em|op) .{8,300}(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef).{0,80}:$/i,
  /^(?:reply to this email directly|you are receiving this because)\b/i,
];
/** The same in any language: a time, and behind it an address and a colon at the end. */
const TIME = /\d{1,2}[:.]\d{2}/;
const ADDRESS_AT_END = /[<(][^<>()\s@]+@[^<>()\s@]+[>)].{0,40}[:：]$/;
/** A header of the original: `From:` with another header right below it. */
const FROM = /^[*_]{0,2}(?:from|von|de|da|van)[*_]{0,2}:[*_]{0,2} \S/i;
const HEADER =
  /^[*_]{0,2}(?:sent|date|to|subject|gesendet|datum|an|betreff|envoyé|à|objet|enviado|para|asunto)[*_]{0,2}:/i;
/** The same in any language: a name with an address, and below it one with a time. */
const ANY_FROM = /^[*_]{0,2}[\p{L} .]{2,20}[*_]{0,2} ?[:：].{0,200}?[^\s<>@]@[^\s<>@]/u;
const ANY_SENT = /^[*_]{0,2}[\p{L} .]{2,20}[*_]{0,2} ?[:：].{0,80}?\d{1,2}:\d{2}\b/u;
/** Longer lines are not searched, because no mail program writes them. */
const MAX_LINE = 500;

/**
 * The offset at which the original message below a mail reply begins, or the text's length. Mail programs that do not
 * quote it repeat the words of others there, commands included.
 */
export function findOriginal(text: string): number {
  const lines = text.split('\n');
  let start = 0;
  for (const [index, line] of lines.entries()) {
    if (line.length <= MAX_LINE && isAboveOriginal(line.trim(), (lines[index + 1] ?? '').trim()))
      return start;
    start += line.length + 1;
  }
  return text.length;
}

function isAboveOriginal(line: string, next: string): boolean {
  // Mail programs fold a long first line.
  const folded = next.length <= MAX_LINE ? `${line} ${next}` : line;
  if (FROM.test(line) && HEADER.test(next)) return true;
  if (ANY_FROM.test(line) && ANY_SENT.test(next)) return true;
  const isKnown = (text: string) =>
    ABOVE_ORIGINAL.some((pattern) => pattern.test(text)) || (TIME.test(text) && ADDRESS_AT_END.test(text));
  return isKnown(line) || (next !== '' && isKnown(folded));
}
