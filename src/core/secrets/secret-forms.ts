import { asLetters, readText } from './decode-buffer.ts';
import { undoEscapes } from './undo-escapes.ts';

/** Shorter values are found in every other word: hiding them would wreck the text and protect nothing. */
export const MIN_SECRET_LENGTH = 6;
const MAX_VALUE_CHARS = 64 * 1024;
/** A long value is looked for piece by piece: no comparison is long, and a part of it is found as well. */
const PIECE_CHARS = 240;
/** In base64, so little is found by chance. */
const MIN_INNER_BASE64 = 8;
const MIN_LINE_LENGTH = 8;
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
/** The frame of a key is the same for everybody. */
const FRAME = /^-+(BEGIN|END) [A-Z ]*-+$/;

/**
 * The forms in which a value is printed most: as it is, in JSON, in a URL, in base64 wherever it begins. For those who can but
 * compare; whoever can read looks for the other two kinds of forms as well.
 */
export function secretForms(
  value: string,
  { shortest = MIN_SECRET_LENGTH, shortestLine = MIN_LINE_LENGTH } = {},
): string[] {
  const forms = new Set(textsOf(value, shortest, shortestLine).flatMap(piecesOf).flatMap(formsOfPiece));
  return [...forms].filter((form) => form.length >= shortest);
}

/** As bytes: what is left of the value in a text whose escapes are undone. In a form of a web page, blanks are written as `+`. */
export function unescapedForms(value: string): string[] {
  const forms = textsOf(value).flatMap((text) => {
    const reading = readText(text);
    undoEscapes(reading);
    return piecesOf(asLetters(reading)).flatMap((piece) => [piece, piece.replaceAll(' ', '+')]);
  });
  return [...new Set(forms)].filter((form) => form.length >= MIN_SECRET_LENGTH);
}

/** In a text of which nothing but the letters of base64 is left. */
export function base64Forms(value: string): string[] {
  const forms = textsOf(value)
    .flatMap(piecesOf)
    .flatMap(inBase64)
    .map((form) => form.replace(/=+$/, ''));
  return [...new Set(forms)].filter((form) => form.length >= MIN_INNER_BASE64);
}

/** The value, and each of its lines. */
function textsOf(value: string, shortest = MIN_SECRET_LENGTH, shortestLine = MIN_LINE_LENGTH): string[] {
  const bounded = value.slice(0, MAX_VALUE_CHARS).toWellFormed();
  const lines = bounded.split(LINE_BREAK).map((line) => line.trim());
  const alone = lines.filter((line) => lines.length > 1 && line.length >= shortestLine && !FRAME.test(line));
  return [...new Set([bounded, bounded.trim(), ...alone])].filter((text) => text.length >= shortest);
}

/** Of about the same length, so that the last one is not too short to be looked for. */
function piecesOf(text: string): string[] {
  if (text === '') return [];
  const size = Math.ceil(text.length / Math.ceil(text.length / PIECE_CHARS));
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = from + size;
    // Half a surrogate pair is no character.
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
  const [whole = '', ...inner] = inBase64(text);
  const encoded = [whole, whole.replace(/=+$/, ''), ...inner];
  const url = encodeURIComponent(text);
  const json = JSON.stringify(text).slice(1, -1);
  return [
    text,
    json,
    // Agents tell in JSON what they read in JSON.
    JSON.stringify(json).slice(1, -1),
    url,
    url.replaceAll('%20', '+'),
    encodeURI(text),
    ...encoded,
    ...encoded.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

function inBase64(text: string): string[] {
  const bytes = utf8Bytes(text);
  // What comes before it in an encoded text moves it by 0, 1 or 2 bytes: of each place, the letters that hang on it alone.
  const inner = [0, 2, 1]
    .map((skip) => btoa(bytes.slice(skip, bytes.length - ((bytes.length - skip) % 3))))
    .filter((form) => form.length >= MIN_INNER_BASE64);
  return [btoa(bytes), ...inner];
}

/** UTF-8 with one character per byte, as `btoa` takes and `atob` gives them. */
export function utf8Bytes(text: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
}
