import { hasInvisible } from '../reading/invisible-characters.ts';
import { opensQuote, readQuoted } from '../reading/quoted-text.ts';

const KEY = /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/;
const PAIR_START = /^[\s\u200b-\u200d\u2060]*[A-Za-z_][A-Za-z0-9_.-]*\s*=/u;
/** Names that every JavaScript object inherits. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);
const MAX_INPUTS = 100;

/** A problem's text never contains a value, because everybody sees it. */
type Problem = { problem: string; key?: string };
type Read<T> = T | Problem;

/** True when a line begins with `key=`. */
export function startsPair(line: string): boolean {
  return PAIR_START.test(line);
}

/**
 * Reads the `key=value` pairs of one line into `inputs`. A `key=` at the end of the line takes the next fenced block.
 */
export function readPairs(line: string, inputs: Map<string, string>): Read<{ pending?: string }> {
  let at = 0;
  for (;;) {
    at = skip(line, at, /[\s\u200b-\u200d\u2060]*/uy);
    if (at >= line.length) return {};
    const key = readKey(line, at, inputs);
    if ('problem' in key) return key;
    if (/^\s*$/u.test(line.slice(key.end))) return { pending: key.name };
    const value = readValue(line, key.end, key.name);
    if ('problem' in value) return value;
    inputs.set(key.name, value.value);
    at = value.end;
  }
}

function readKey(line: string, at: number, inputs: Map<string, string>): Read<{ name: string; end: number }> {
  const end = skip(line, at, /[^\s=]*/uy);
  const name = line.slice(at, end);
  if (line.charAt(end) !== '=') {
    const spaced = /^\s+=/u.test(line.slice(end, end + 100)) && KEY.test(name);
    if (spaced) return { problem: `Leave out the spaces around the \`=\` of \`${name}\`.`, key: name };
    return { problem: 'One of the words has no `=`: a value with spaces goes in quotes, `key="two words"`.' };
  }
  if (!KEY.test(name) || RESERVED.has(name))
    return {
      problem:
        'One of the keys is invalid: a key starts with a letter or `_`, followed by letters, digits, `_`, `.` and `-`.',
    };
  if (inputs.has(name)) return { problem: `\`${name}\` is given twice.` };
  if (inputs.size >= MAX_INPUTS) return { problem: `At most ${MAX_INPUTS} values can be given at once.` };
  return { name, end: end + 1 };
}

function readValue(line: string, at: number, key: string): Read<{ value: string; end: number }> {
  if (/\s/u.test(line.charAt(at))) {
    if (startsPair(line.slice(at))) return { problem: `\`${key}=\` has no value.`, key };
    return { problem: `Leave out the spaces around the \`=\` of \`${key}\`.`, key };
  }
  if (opensQuote(line, at)) return readQuotedValue(line, at, key);
  const end = skip(line, at, /\S*/uy);
  const value = line.slice(at, end);
  if (value.startsWith('`'))
    return {
      problem: `The value of \`${key}\` starts with a backtick: leave it out, or quote the whole value if it is part of it.`,
      key,
    };
  if (hasInvisible(value))
    return {
      problem: `The value of \`${key}\` contains an invisible character: type it again, or quote it if it is part of the value.`,
      key,
    };
  if (value.endsWith(',') && startsPair(line.slice(end)))
    return {
      problem: `The value of \`${key}\` ends with a comma: separate values with spaces, or quote the value if the comma is part of it.`,
      key,
    };
  return { value, end };
}

function readQuotedValue(line: string, at: number, key: string): Read<{ value: string; end: number }> {
  const quoted = readQuoted(line, at);
  if (!quoted.closed)
    return {
      problem: `The quote after \`${key}=\` is not closed on its line; put a value of several lines in a fenced block.`,
      key,
    };
  if (quoted.value === '') return { problem: `\`${key}=\` has no value.`, key };
  if (/^\S/u.test(line.slice(quoted.end)))
    return {
      problem: `The closing quote of \`${key}\` must be followed by a space or nothing; write a quote inside as \`\\"\`.`,
      key,
    };
  return quoted;
}

function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  pattern.test(text);
  return Math.max(at, pattern.lastIndex);
}
