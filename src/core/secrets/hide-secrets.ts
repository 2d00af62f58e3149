import { bufferText, type DecodeBuffer, toByteString } from './decode-buffer.ts';
import { findCredentials } from './find-credentials.ts';
import { keepBase64 } from './keep-base64.ts';
import { keepHex } from './keep-hex.ts';
import { BASES, numbersIn } from './numbers-in.ts';
import { base64Forms, hexForms, secretForms, unescapedForms } from './secret-forms.ts';
import { mergeSpans, replaceSpans, type Span } from './spans.ts';
import { undoEscapes } from './undo-escapes.ts';

const MASK = '•••';
/** The shortest beginning or end of a value that is masked where a text was cut. Shorter ones reveal too little. */
const MIN_REMNANT = 8;
const MAX_DEPTH = 100;
const KEY_LENGTH = 4;
/** Positions where a value may have been cut off: line ends, ends of JSON strings, and ellipses. */
const CUT = /[\n\r"…]/g;

interface SecretHider {
  /** Masks the values, and all that has the shape of a credential. */
  hide(text: string): string;
  /** Masks the values alone. For file paths, because files are approved by them. */
  hideValues(text: string): string;
  /** A deep copy with all that `hide` masks masked in all texts and property names. `field` is the property that holds the text. */
  hideDeep<T>(
    record: T,
    hideText?: (text: string, field: string) => string,
    hideName?: (name: string) => string,
  ): T;
}

export function createSecretHider(values: Iterable<string>, mask = MASK): SecretHider {
  const find = createSecretFinder([...new Set(values)]);
  const hide = (text: string) =>
    replaceSpans(text, mergeSpans([...find(text), ...findCredentials(text)]), mask);
  return {
    hide,
    hideValues: (text) => replaceSpans(text, find(text), mask),
    hideDeep<T>(record: T, hideText: (text: string, field: string) => string = hide, hideName = hide): T {
      const copy = (value: unknown, field: string, depth: number): unknown => {
        if (typeof value === 'string') return hideText(value, field);
        if (typeof value !== 'object' || value === null) return value;
        if (depth > MAX_DEPTH) return mask;
        if (Array.isArray(value)) return value.map((item) => copy(item, field, depth + 1));
        return Object.fromEntries(
          Object.entries(value).map(([key, item]) => [hideName(key), copy(item, key, depth + 1)]),
        );
      };
      return copy(record, '', 0) as T;
    },
  };
}

/** Finds values in a text as they are written, with escapes undone, and in base64, hex or numbers with other characters in between. */
function createSecretFinder(values: readonly string[]): (text: string) => Span[] {
  const findWritten = createFormFinder(values.flatMap((value) => secretForms(value)));
  const findUnescaped = createFormFinder(values.flatMap(unescapedForms));
  const findBase64 = createFormFinder(values.flatMap(base64Forms));
  const findHex = createFormFinder(values.flatMap(hexForms));
  return (text) => {
    if (values.length === 0 || text.length < KEY_LENGTH) return [];
    const buffer = bufferText(text);
    const spansIn = (decoded: DecodeBuffer, find: (text: string) => Span[]): Span[] =>
      find(toByteString(decoded)).map(({ from, to }) => ({
        from: decoded.from?.[from] ?? 0,
        to: decoded.to?.[to - 1] ?? text.length,
      }));
    undoEscapes(buffer);
    const unescaped = spansIn(buffer, findUnescaped);
    const inNumbers = BASES.flatMap((base) => {
      const numbers = numbersIn(buffer, base);
      undoEscapes(numbers);
      return spansIn(numbers, findUnescaped);
    });
    keepBase64(buffer);
    const encoded = spansIn(buffer, findBase64);
    keepHex(buffer);
    const inHex = spansIn(buffer, findHex);
    return mergeSpans([...findWritten(text), ...unescaped, ...inNumbers, ...encoded, ...inHex]);
  };
}

/**
 * Finds the forms in a text, including those that were cut off. One pass regardless of the number of forms, because they are
 * looked up by a hash of their first characters.
 */
export function createFormFinder(forms: readonly string[]): (text: string) => Span[] {
  const heads = new Map<number, string[]>();
  const tails = new Map<number, string[]>();
  let longest = 0;
  // Longest first, because a form may be a prefix of another.
  for (const form of [...new Set(forms)].sort((a, b) => b.length - a.length)) {
    if (form.length < KEY_LENGTH) continue;
    longest = Math.max(longest, form.length);
    add(heads, keyAt(form, 0), form);
    add(tails, keyAt(form, form.length - KEY_LENGTH), form);
  }
  const startingAt = (text: string, at: number, cut: number): number => {
    const candidates = heads.get(keyAt(text, at));
    if (!candidates) return 0;
    const whole = candidates.find((form) => text.startsWith(form, at));
    if (whole) return whole.length;
    const left = cut - at;
    if (left < MIN_REMNANT || left >= longest) return 0;
    const rest = text.slice(at, cut);
    return candidates.some((form) => form.startsWith(rest)) ? left : 0;
  };
  /** The length of a form's end at `from` whose beginning was cut off. */
  const remnantAt = (text: string, from: number, cut: number): number => {
    for (let to = Math.min(cut, from + longest - 1); to >= from + MIN_REMNANT; to -= 1)
      for (const form of tails.get(keyAt(text, to - KEY_LENGTH)) ?? [])
        if (to - from < form.length && form.endsWith(text.slice(from, to))) return to - from;
    return 0;
  };

  return (text) => {
    const spans: Span[] = [];
    if (heads.size === 0) return spans;
    let begin = 0;
    let cut = -1;
    for (let at = 0; at <= text.length - KEY_LENGTH; ) {
      if (at > cut) {
        begin = at;
        cut = nextCut(text, at);
      }
      let length = startingAt(text, at, cut);
      if (length === 0 && at === begin) length = remnantAt(text, at, cut);
      if (length > 0) spans.push({ from: at, to: at + length });
      at += length || 1;
    }
    return spans;
  };
}

function nextCut(text: string, from: number): number {
  CUT.lastIndex = from;
  return CUT.exec(text)?.index ?? text.length;
}

function add(index: Map<number, string[]>, key: number, form: string): void {
  const known = index.get(key);
  if (known) known.push(form);
  else index.set(key, [form]);
}

/** A hash of four characters. Collisions are possible, so candidates are compared in full. */
function keyAt(text: string, at: number): number {
  return (
    text.charCodeAt(at) ^
    (text.charCodeAt(at + 1) << 7) ^
    (text.charCodeAt(at + 2) << 14) ^
    (text.charCodeAt(at + 3) << 20)
  );
}
