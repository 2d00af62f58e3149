import type { ErrorSighting, TestCounts } from '../contracts/verification.ts';
import { findCredentials } from '../secrets/find-credentials.ts';
import { replaceSpans } from '../secrets/spans.ts';
import { findErrors } from './error-lines.ts';
import { readFailureLines, readPlainLines, stripAnsi } from './plain-lines.ts';

const MESSAGE_CHARS = 2_000;

/**
 * Volatile parts of a message, in the order they are replaced. A number is replaced only if its context shows that it is a place,
 * a time, an address, a port or a process. Other numbers carry meaning, as in "expected 4 to be 5".
 */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  // 2026-01-02T03:04:05.678Z, 2026/01/02 03:04:05, npm's 2026-01-02T03_04_05_678Z
  [
    /\b\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d[:_]\d\d(?:[:_]\d\d(?:[.,_]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?/g,
    '<time>',
  ],
  [/\b\d\d?:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[AP]M)?\b/g, '<time>'],
  [/\b1[5-9]\d{8}(?:\d{3})?\b/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b0x[0-9a-f]+\b/gi, '<addr>'],
  [/\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b/gi, '<id>'],
  // Durations in quotes stay, because they are values under test: expected '3s' to be '4s'.
  [
    /(?<!['"`\w.])\d+(?:\.\d+)?\s?(?:ms|µs|us|ns|s|secs?|seconds?|milliseconds?|mins?|minutes?)\b(?!['"`])/g,
    '<t>',
  ],
  [/\((node|bun|deno):\d+\)/g, '($1:<pid>)'],
  [/\b(pid|process|thread|goroutine)([ =:#]{1,2})\d+\b/gi, '$1$2<n>'],
  [/(\bthread '[^']{0,200}' )\(\d+\)/g, '$1(<n>)'],
  [/==\d+==/g, '==<pid>=='],
  [/\b(port)([ =:]{1,2})\d{2,5}\b/gi, '$1$2<port>'],
  [/(\b(?:localhost|\d{1,3}(?:\.\d{1,3}){3})|\[?::1?\]?|\/\/[\w.-]{1,253}):\d{2,5}\b/g, '$1:<port>'],
  // a.ts:41:7, a.ts(41,7), a.py:3
  [/(\.[A-Za-z]\w{0,9}):\d+(?::\d+)?\b/g, '$1'],
  [/\(\d+[,:]\d+\)/g, ''],
  [/\b(lines?|columns?|col|position|offset)([ :]{1,2})\d+(?:-\d+)?\b/gi, '$1$2<n>'],
];

const TEMPORARY_PATH =
  /(?<![\w.])(?:(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev\/shm)\/|[A-Za-z]:[\\/]Users[\\/][^\\/\s]{1,100}[\\/]AppData[\\/]Local[\\/]Temp[\\/])[^\s'"`:;,()\]}>]*/g;

/** `/tmp/x-8fa2/src/a.ts` becomes `<tmp>/a.ts`, because the directories are random. A name with digits may be random too. */
function shortenTemporaryPath(path: string): string {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  return /^[A-Za-z_.-]+\.[A-Za-z]+$/.test(name) ? `<tmp>/${name}` : '<tmp>';
}

/** Removes credentials, and the parts of a message that differ between runs. Messages with equal results are the same error (E-1). */
export function normalizeError(message: string): string {
  const plain = stripAnsi(message).slice(0, MESSAGE_CHARS);
  let text = replaceSpans(plain, findCredentials(plain), '<credential>').replace(/\s+/g, ' ').trim();
  text = text.replace(TEMPORARY_PATH, shortenTemporaryPath);
  for (const [pattern, replacement] of VOLATILE) text = text.replace(pattern, replacement);
  return text.replace(/ {2,}/g, ' ').trim();
}

/**
 * The errors in the output of a failed operation, each once, with the place of its first occurrence. Not for operations that
 * succeeded, because the word "error" means nothing in their output.
 */
export function sightErrors(output: string, limit = 10): ErrorSighting[] {
  const lines = readFailureLines(output);
  const found = findErrors(lines, limit * 5);
  const sightings = new Map<string, ErrorSighting>();
  for (const { message, place } of found) {
    const signature = normalizeError(message);
    if (signature !== '' && !sightings.has(signature))
      sightings.set(signature, { message, signature, ...place });
    if (sightings.size >= limit) break;
  }
  if (sightings.size > 0) return [...sightings.values()];
  const last =
    readPlainLines(output)
      .findLast((line) => line.trim() !== '')
      ?.trim() ?? 'failed without any output';
  return [{ message: last, signature: normalizeError(last) || last }];
}

const NAMES_SHOWN = 5;
const STEM_CHARS = 40;
const GIST_WORDS = 6;
const FILLERS = new Set(
  'a an the of to is are was be in on at for and or not with by it its this that'.split(' '),
);

/**
 * The outcome of a verification in one line: `pass`, `test-fail:2-auth,logout` or `error:TypeError-null-auth.ts`. Equal outcomes
 * have equal lines (G-3).
 */
export function resultSignature(result: {
  ok: boolean;
  tests?: TestCounts;
  errors: ErrorSighting[];
}): string {
  if (result.ok) return 'pass';
  if (result.tests && result.tests.failed > 0) {
    const stems = [...new Set(result.tests.failing.map(stemOf))].filter(Boolean).sort();
    const list = stems.length > 0 ? `-${shorten(stems)}` : '';
    return `test-fail:${result.tests.failed}${list}`;
  }
  const [first] = result.errors;
  if (!first) return 'error:unknown';
  const more =
    result.errors.length > 1 ? `+${hash(result.errors.map((error) => error.signature).sort())}` : '';
  return `error:${describeError(first)}${more}`;
}

/** Adds a hash of all names to the first few, because outcomes that differ only in later names would look like a loop. */
function shorten(stems: string[]): string {
  if (stems.length <= NAMES_SHOWN) return stems.join(',');
  return `${stems.slice(0, NAMES_SHOWN).join(',')},…${hash(stems)}`;
}

function stemOf(name: string): string {
  const title =
    normalizeError(name)
      .split(/ [>›] |::/)
      .at(-1) ?? '';
  const isFile = /^\S+\.[a-z]{1,5}$/.test(title);
  const base = isFile
    ? (title.split('/').at(-1) ?? '').replace(/(?:[._-](?:test|spec))?\.[a-z]{1,5}$/, '')
    : title;
  return slug(base.replace(/^test[_-]/, ''), '-').slice(0, STEM_CHARS);
}

function describeError(error: ErrorSighting): string {
  const { name, rest } = splitClass(error.signature);
  const basename = error.file?.split(/[\\/]/).at(-1);
  return [name, gistOf(rest), basename].filter(Boolean).join('-');
}

function splitClass(signature: string): { name: string; rest: string } {
  const match =
    /^(?:error )?([\w$.]{0,80}(?:Error|Exception)|TS\d{3,5}|error\[E\d{4}\])(?: \[\w+\])?:? ?/.exec(
      signature,
    );
  if (!match) return { name: '', rest: signature };
  const name = (match[1] ?? '').replace(/^error\[(E\d{4})\]$/, '$1');
  return { name, rest: signature.slice(match[0].length) };
}

function gistOf(text: string): string {
  const nothing =
    /\b(?:properties|property) of (null|undefined)\b|\b(null|undefined) is not an object\b/.exec(text);
  if (nothing) return nothing[1] ?? nothing[2] ?? '';
  const words = slug(text, ' ')
    .split(' ')
    .filter((word) => word !== '' && !FILLERS.has(word.toLowerCase()));
  return words.slice(0, GIST_WORDS).join('-').slice(0, STEM_CHARS);
}

function slug(text: string, gap: string): string {
  return text.replace(/[^\p{L}\p{N}_./]+/gu, gap).replace(/^[-. ]+|[-. ]+$/g, '');
}

/** FNV-1a (32 bit), because it is short and deterministic. It need not be cryptographic. */
function hash(parts: string[]): string {
  let value = 0x811c9dc5;
  for (const char of parts.join('\n'))
    value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value.toString(16).padStart(8, '0').slice(0, 4);
}
