import { bufferText, toByteString } from './decode-buffer.ts';
import { undoEscapes } from './undo-escapes.ts';

/** Shorter values are not hidden, because they occur in many ordinary words and hiding them would ruin the text. */
export const MIN_SECRET_LENGTH = 6;
const MAX_VALUE_CHARS = 64 * 1024;
/** A long value is searched in pieces, which keeps comparisons short and also finds a part of the value. */
const PIECE_CHARS = 240;
/** The shortest base64 text that is searched. A shorter one would match by coincidence. */
const MIN_INNER_BASE64 = 8;
const MIN_LINE_LENGTH = 8;
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
/** The first and last line of a PEM key, which are the same for every key and no secret. */
const FRAME = /^-+(BEGIN|END) [A-Z ]*-+$/;

/**
 * The most common forms of a value: plain, in JSON, in a URL, in hexadecimal digits, and in base64 at any alignment. They can be found
 * by comparing strings. A caller that can decode the text also searches it for `unescapedForms`, `base64Forms` and `hexForms`.
 */
export function secretForms(
  value: string,
  { shortest = MIN_SECRET_LENGTH, shortestLine = MIN_LINE_LENGTH } = {},
): string[] {
  const forms = new Set(textsOf(value, shortest, shortestLine).flatMap(piecesOf).flatMap(formsOfPiece));
  return [...forms].filter((form) => form.length >= shortest);
}

/** The byte strings to search for in a text whose escapes are undone. Includes the form with `+` for blanks, as HTML forms encode them. */
export function unescapedForms(value: string): string[] {
  const forms = textsOf(value).flatMap((text) => {
    const buffer = bufferText(text);
    undoEscapes(buffer);
    const pieces = piecesOf(toByteString(buffer)).flatMap((piece) => [piece, piece.replaceAll(' ', '+')]);
    return [...pieces, ...piecesOf(text).flatMap(utf16Bytes).map(withoutZeros)];
  });
  return [...new Set(forms)].filter((form) => form.length >= MIN_SECRET_LENGTH);
}

/** The forms to search for in a text that was reduced to base64 letters. */
export function base64Forms(value: string): string[] {
  const forms = textsOf(value)
    .flatMap(piecesOf)
    .flatMap((piece) => [utf8Bytes(piece), ...utf16Bytes(piece)])
    .flatMap(inBase64)
    .map((form) => form.replace(/=+$/, ''));
  return [...new Set(forms)].filter((form) => form.length >= MIN_INNER_BASE64);
}

/** The forms to search for in a text that was reduced to hexadecimal digits. */
export function hexForms(value: string): string[] {
  const pieces = textsOf(value).flatMap(piecesOf);
  return [...new Set(pieces.flatMap((piece) => [utf8Bytes(piece), ...utf16Bytes(piece)]).map(inHex))];
}

/** The value, and each of its lines that is long enough. */
function textsOf(value: string, shortest = MIN_SECRET_LENGTH, shortestLine = MIN_LINE_LENGTH): string[] {
  const bounded = value.slice(0, MAX_VALUE_CHARS).toWellFormed();
  const lines = bounded.split(LINE_BREAK).map((line) => line.trim());
  const alone = lines.filter((line) => lines.length > 1 && line.length >= shortestLine && !FRAME.test(line));
  return [...new Set([bounded, bounded.trim(), ...alone])].filter((text) => text.length >= shortest);
}

/** Pieces of about equal length, so that the last one is not too short to be searched. */
function piecesOf(text: string): string[] {
  if (text === '') return [];
  const size = Math.ceil(text.length / Math.ceil(text.length / PIECE_CHARS));
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = from + size;
    // A surrogate pair must not be split.
    if (isLowSurrogate(text.charCodeAt(to))) to += 1;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function formsOfPiece(text: string): string[] {
  const bytes = utf8Bytes(text);
  const [whole = '', ...inner] = inBase64(bytes);
  const encoded = [whole, whole.replace(/=+$/, ''), ...inner];
  const url = encodeURIComponent(text);
  const json = JSON.stringify(text).slice(1, -1);
  return [
    text,
    json,
    // Escaped twice, because agents print JSON that contains JSON they read.
    JSON.stringify(json).slice(1, -1),
    url,
    url.replaceAll('%20', '+'),
    encodeURI(text),
    inHex(bytes),
    inHex(bytes).toUpperCase(),
    ...encoded,
    ...encoded.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

function inHex(bytes: string): string {
  return bytes.replace(/[\s\S]/g, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0'));
}

function inBase64(bytes: string): string[] {
  // Preceding text shifts the value by 0, 1 or 2 bytes. For each shift, only the letters that depend on the value alone are kept.
  const inner = [0, 2, 1]
    .map((skip) => btoa(bytes.slice(skip, bytes.length - ((bytes.length - skip) % 3))))
    .filter((form) => form.length >= MIN_INNER_BASE64);
  return [btoa(bytes), ...inner];
}

/** UTF-8 as a string with one character per byte, as `btoa` expects and `atob` returns. */
export function utf8Bytes(text: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
}

/** UTF-16 in both byte orders, one character per byte. */
function utf16Bytes(text: string): string[] {
  let [little, big] = ['', ''];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const [high, low] = [String.fromCharCode(unit >> 8), String.fromCharCode(unit & 0xff)];
    little += low + high;
    big += high + low;
  }
  return [little, big];
}

function withoutZeros(bytes: string): string {
  return bytes.replaceAll('\0', '');
}
