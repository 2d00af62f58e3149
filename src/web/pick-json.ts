/** The fields to pick of an object. `true` picks a primitive value, a nested shape picks fields of an object. */
interface Shape {
  readonly [name: string]: true | Shape;
}

interface Field {
  name: string;
  /** The key as written in JSON, with its quotes. */
  key: string;
  inner?: Field[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
/** The limit for picked values. Skipped ones may have any length. */
const MAX_VALUE_BYTES = 1000;

/**
 * Picks a few values of a long JSON object in one pass without parsing the rest. Returns undefined if it is not a complete
 * object. Skipped values are scanned for quotes and brackets only, not validated.
 */
export function createJsonPicker(shape: Shape): (bytes: Buffer) => object | undefined {
  const fields = listFields(shape);
  return (bytes) => {
    // latin1 has one character per byte, is fast to decode, and strings are searched faster than bytes.
    const text = bytes.toString('latin1');
    const begin = skipSpace(text, 0);
    if (text.charCodeAt(begin) !== OPEN_OBJECT) return undefined;
    const picked = {};
    const end = readObject(text, begin, fields, picked);
    return end > 0 && skipSpace(text, end) === text.length ? picked : undefined;
  };
}

function listFields(shape: Shape): Field[] {
  return Object.entries(shape).map(([name, inner]) => ({
    name,
    key: JSON.stringify(name),
    ...(inner === true ? {} : { inner: listFields(inner) }),
  }));
}

/** The functions below take the index where a value begins and return the index after it, or -1. */
function readObject(text: string, begin: number, fields: Field[], into: Record<string, unknown>): number {
  let at = skipSpace(text, begin + 1);
  if (text.charCodeAt(at) === CLOSE_OBJECT) return at + 1;
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = skipText(text, at);
    if (keyEnd < 0) return -1;
    const field = findField(text, at, keyEnd, fields);
    at = skipSpace(text, keyEnd);
    if (text.charCodeAt(at) !== COLON) return -1;
    at = skipSpace(text, at + 1);
    at = field ? readField(text, at, field, into) : skipValue(text, at);
    if (at < 0) return -1;
    at = skipSpace(text, at);
    if (text.charCodeAt(at) === CLOSE_OBJECT) return at + 1;
    if (text.charCodeAt(at) !== COMMA) return -1;
    at = skipSpace(text, at + 1);
  }
  return -1;
}

function readField(text: string, at: number, { name, inner }: Field, into: Record<string, unknown>): number {
  // The last of duplicate names counts, as in `JSON.parse`.
  into[name] = undefined;
  if (inner && text.charCodeAt(at) === OPEN_OBJECT) {
    const within = {};
    into[name] = within;
    return readObject(text, at, inner, within);
  }
  const end = skipValue(text, at);
  if (inner || end < 0 || end - at > MAX_VALUE_BYTES) return end;
  try {
    into[name] = JSON.parse(Buffer.from(text.slice(at, end), 'latin1').toString('utf8'));
    return end;
  } catch {
    return -1;
  }
}

function findField(text: string, begin: number, end: number, fields: Field[]): Field | undefined {
  return fields.find(({ key }) => key.length === end - begin && text.startsWith(key, begin));
}

function skipValue(text: string, begin: number): number {
  const first = text.charCodeAt(begin);
  if (first === QUOTE) return skipText(text, begin);
  if (first === OPEN_OBJECT || first === OPEN_LIST) return skipNested(text, begin);
  let at = begin;
  while (at < text.length && !endsLiteral(text.charCodeAt(at))) at += 1;
  return at > begin ? at : -1;
}

/** Counts brackets instead of recursing, because the nesting may be of any depth. */
function skipNested(text: string, begin: number): number {
  let depth = 0;
  let at = begin;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = skipText(text, at);
      if (at < 0) return -1;
      continue;
    }
    at += 1;
    if (code === OPEN_OBJECT || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function skipText(text: string, begin: number): number {
  for (let at = begin + 1; ; at += 1) {
    at = text.indexOf('"', at);
    if (at < 0) return -1;
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
}

function skipSpace(text: string, begin: number): number {
  let at = begin;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function endsLiteral(code: number): boolean {
  return code === COMMA || code === CLOSE_OBJECT || code === CLOSE_LIST || isSpace(code);
}
