import type { DecodeBuffer } from './decode-buffer.ts';

/**
 * Undoes the escapes of JSON, URLs, HTML, shells and programming languages, at any nesting, until none is left. A value then has
 * the same bytes whether it was escaped or not. One pass, because each escape is replaced as soon as its last byte is read.
 * Zero bytes are left out, because UTF-16 has one beside each ASCII letter.
 */
export function undoEscapes(buffer: DecodeBuffer): void {
  const { bytes, from, to } = buffer;
  let length = 0;
  let before = 0;
  for (let at = 0; at < buffer.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0) continue;
    const mayEnd = MAY_END[byte] === 1 || before === BACKSLASH;
    before = byte;
    bytes[length] = byte;
    if (from && to) {
      from[length] = from[at] ?? 0;
      to[length] = to[at] ?? 0;
    }
    length += 1;
    if (!mayEnd) continue;
    for (let found = escapeAtEnd(bytes, length); found > 0; found = escapeAtEnd(bytes, length)) {
      const start = length - (found & SIZE);
      const code = found >> CODE_SHIFT;
      length = start + (found & IS_BYTE ? putByte(bytes, start, code) : putCharacter(bytes, start, code));
      if (from && to) {
        from.fill(from[start] ?? 0, start, length);
        to.fill(to[at] ?? 0, start, length);
      }
      before = bytes[length - 1] ?? 0;
    }
  }
  buffer.length = length;
}

/** Returns the number of bytes. */
function putByte(bytes: Uint8Array, at: number, byte: number): number {
  bytes[at] = byte;
  return byte === 0 ? 0 : 1;
}

/** Writes the character as UTF-8, which is never longer than its escape was. Returns the number of bytes. */
function putCharacter(bytes: Uint8Array, at: number, code: number): number {
  if (code < 0x80) return putByte(bytes, at, code);
  const size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  let rest = code;
  for (let index = at + size - 1; index > at; index -= 1) {
    bytes[index] = 0x80 | (rest & 0x3f);
    rest >>= 6;
  }
  bytes[at] = (0xf00 >> size) | rest;
  return size;
}

/** An escape's character and length are packed into one number, because an object per byte would be slow for large files. */
const SIZE = 0x0f;
const IS_BYTE = 0x10;
const CODE_SHIFT = 5;
const [AMPERSAND, BACKSLASH, HASH, PERCENT, SEMICOLON] = [0x26, 0x5c, 0x23, 0x25, 0x3b];
const [SMALL_U, SMALL_X] = [0x75, 0x78];
const LONGEST_REFERENCE = 10;
const SURROGATE_PAIR = 12;

const LETTER_ESCAPES = new Map(
  [...'bfnrt'].map((letter, index) => [letter.charCodeAt(0), [8, 12, 10, 13, 9][index] ?? 0]),
);
const NAMED = Object.entries({ amp: 38, lt: 60, gt: 62, quot: 34, apos: 39 }).map(([name, code]) => ({
  name: [...name].map((letter) => letter.charCodeAt(0)),
  code,
}));
/** The value of each byte as a hexadecimal digit; 16 if it is not one. */
const DIGIT = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? 16 : digit;
});
const MAY_END = DIGIT.map((digit, byte) => (digit < 16 || byte === SEMICOLON ? 1 : 0));
const IS_WORD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /\w/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** The packed escape that ends with the last byte; 0 if there is none. */
function escapeAtEnd(bytes: Uint8Array, length: number): number {
  const last = bytes[length - 1] ?? 0;
  if (length > 1 && bytes[length - 2] === BACKSLASH) {
    if (IS_WORD[last] === 0) return pack(last, 2);
    const code = LETTER_ESCAPES.get(last);
    return code === undefined ? 0 : pack(code, 2);
  }
  if ((DIGIT[last] ?? 16) < 16) return digitsAtEnd(bytes, length);
  return last === SEMICOLON ? referenceAtEnd(bytes, length) : 0;
}

function pack(code: number, size: number): number {
  return (code << CODE_SHIFT) | size;
}

/** `%2F`, `\x2f`, `\057`, `\u002f`, and surrogate pairs such as `\ud83d\ude00`. */
function digitsAtEnd(bytes: Uint8Array, length: number): number {
  if (length < 3) return 0;
  if (bytes[length - 3] === PERCENT) {
    const byte = digitsAt(bytes, length - 2, length, 16);
    return byte < 0 ? 0 : pack(byte, 3) | IS_BYTE;
  }
  if (length > 3 && bytes[length - 3] === SMALL_X && bytes[length - 4] === BACKSLASH) {
    const byte = digitsAt(bytes, length - 2, length, 16);
    return byte < 0 ? 0 : pack(byte, 4) | IS_BYTE;
  }
  if (length > 3 && bytes[length - 4] === BACKSLASH) {
    const byte = digitsAt(bytes, length - 3, length, 8);
    return byte < 0 || byte > 0xff ? 0 : pack(byte, 4) | IS_BYTE;
  }
  const code = codeUnitAt(bytes, length - 6);
  if (code < 0xd800 || code > 0xdfff) return code < 0 ? 0 : pack(code, 6);
  const high = codeUnitAt(bytes, length - SURROGATE_PAIR);
  if (code < 0xdc00 || high < 0xd800 || high > 0xdbff) return 0;
  return pack(0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00), SURROGATE_PAIR);
}

function codeUnitAt(bytes: Uint8Array, at: number): number {
  return at >= 0 && bytes[at] === BACKSLASH && bytes[at + 1] === SMALL_U
    ? digitsAt(bytes, at + 2, at + 6, 16)
    : -1;
}

/** The number that the digits form; -1 if a byte is not a digit of the base. */
function digitsAt(bytes: Uint8Array, from: number, end: number, base: number): number {
  let value = 0;
  for (let index = from; index < end; index += 1) {
    const digit = DIGIT[bytes[index] ?? 0] ?? base;
    if (digit >= base) return -1;
    value = value * base + digit;
  }
  return value;
}

/** `&amp;`, `&#38;`, `&#x26;` */
function referenceAtEnd(bytes: Uint8Array, length: number): number {
  const earliest = Math.max(0, length - LONGEST_REFERENCE);
  let start = length - 2;
  while (start >= earliest && bytes[start] !== AMPERSAND) start -= 1;
  if (start < earliest) return 0;
  const code =
    bytes[start + 1] === HASH ? numberedAt(bytes, start + 2, length - 1) : namedAt(bytes, start, length);
  const isCharacter = code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? pack(code, length - start) : 0;
}

function numberedAt(bytes: Uint8Array, from: number, end: number): number {
  const isHex = ((bytes[from] ?? 0) | 0x20) === SMALL_X;
  const begin = isHex ? from + 1 : from;
  return begin < end ? digitsAt(bytes, begin, end, isHex ? 16 : 10) : -1;
}

function namedAt(bytes: Uint8Array, start: number, length: number): number {
  for (const { name, code } of NAMED) {
    if (name.length !== length - start - 2) continue;
    if (name.every((letter, index) => bytes[start + 1 + index] === letter)) return code;
  }
  return -1;
}
