import type { DecodeBuffer } from './decode-buffer.ts';

const [ZERO, SMALL_X, CAPITAL_X, QUOTE] = [0x30, 0x78, 0x58, 0x22];

/**
 * Removes everything but hexadecimal digits from a buffer of base64 letters, because blanks, colons, line breaks or `0x` may be
 * between them. A quotation mark stays, as it marks that the text was cut there.
 */
export function keepHex(buffer: DecodeBuffer): void {
  const { bytes, from, to } = buffer;
  let length = 0;
  let before = 0;
  for (let at = 0; at < buffer.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if ((byte === SMALL_X || byte === CAPITAL_X) && before === ZERO) length -= 1;
    before = byte;
    const digit = HEX_DIGIT[byte] ?? 0;
    if (digit === 0) continue;
    bytes[length] = digit;
    if (from && to) {
      from[length] = from[at] ?? 0;
      to[length] = to[at] ?? 0;
    }
    length += 1;
  }
  buffer.length = length;
}

/** Digits in lower case. */
const HEX_DIGIT = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === QUOTE) return byte;
  const letter = String.fromCharCode(byte);
  return /[0-9a-fA-F]/.test(letter) ? letter.toLowerCase().charCodeAt(0) : 0;
});
