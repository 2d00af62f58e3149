import type { DecodeBuffer } from './decode-buffer.ts';

/** The bases, beside 16, in which bytes are written as numbers. */
export const BASES = [8, 10] as const;

const [ZERO, NINE] = [0x30, 0x39];
const MAX_BYTE = 255;
/** Longer numbers are no bytes but, say, the offsets of a dump. */
const MAX_DIGITS = 3;

/**
 * The bytes that are written as numbers in the text, whatever stands between them: `[104, 105]`, or `150 151` in octal. All other
 * numbers are left out.
 */
export function numbersIn(
  { bytes, length, from, to }: DecodeBuffer,
  base: (typeof BASES)[number],
): DecodeBuffer {
  const most = (length >> 1) + 1;
  const found: DecodeBuffer = { bytes: new Uint8Array(most), length: 0 };
  if (from && to) Object.assign(found, { from: new Uint32Array(most), to: new Uint32Array(most) });
  let start = -1;
  let value = 0;
  for (let at = 0; at <= length; at += 1) {
    const byte = at < length ? (bytes[at] ?? 0) : 0;
    if (byte >= ZERO && byte <= NINE) {
      if (start < 0) {
        start = at;
        value = 0;
      }
      value = byte - ZERO < base && at - start < MAX_DIGITS ? value * base + byte - ZERO : MAX_BYTE + 1;
      continue;
    }
    if (start >= 0 && value <= MAX_BYTE) {
      found.bytes[found.length] = value;
      if (found.from && found.to) {
        found.from[found.length] = from?.[start] ?? 0;
        found.to[found.length] = to?.[at - 1] ?? 0;
      }
      found.length += 1;
    }
    start = -1;
  }
  return found;
}
