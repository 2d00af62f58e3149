import type { DecodeBuffer } from './decode-buffer.ts';

const [PLUS, SLASH, MINUS, UNDERSCORE] = [0x2b, 0x2f, 0x2d, 0x5f];
const ELLIPSIS = [0xe2, 0x80, 0xa6];
const QUOTE = 0x22;

/**
 * Removes everything but base64 letters, because line breaks, quotes and indentation may be between them, and converts base64url
 * to the standard alphabet. An ellipsis becomes a quotation mark, which is one byte and still marks that the text was cut there.
 */
export function keepBase64(buffer: DecodeBuffer): void {
  const { bytes, from, to } = buffer;
  let length = 0;
  for (let at = 0; at < buffer.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const isCut = byte === ELLIPSIS[0] && bytes[at + 1] === ELLIPSIS[1] && bytes[at + 2] === ELLIPSIS[2];
    const letter = isCut ? QUOTE : (BASE64_LETTER[byte] ?? 0);
    if (letter === 0) continue;
    bytes[length] = letter;
    if (from && to) {
      from[length] = from[at] ?? 0;
      to[length] = to[at] ?? 0;
    }
    length += 1;
  }
  buffer.length = length;
}

const BASE64_LETTER = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === MINUS) return PLUS;
  if (byte === UNDERSCORE) return SLASH;
  return byte === PLUS || byte === SLASH || /[A-Za-z0-9]/.test(String.fromCharCode(byte)) ? byte : 0;
});
