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
    if (spaced) return { problem: `There is no space around the \`=\` of \`${name}\`.`, key: name };
    return { problem: 'One of the words has no `=`: a value with spaces goes in quotes, `key="two words"`.' };
  }
  if (!KEY.test(name) || RESERVED.has(name))
    return {
      problem:
        'One of the keys is not possible: a key begins with a letter or `_`, then come letters, digits, `_`, `.` and `-`.',
    };
  if (inputs.has(name)) return { problem: `\`${name}\` is there twice.` };
  if (inputs.size >= MAX_INPUTS)
    return { problem: `More than ${MAX_INPUTS} values at once are not possible.` };
  return { name, end: end + 1 };
}

function readValue(line: string, at: number, key: string): Read<{ value: string; end: number }> {
  if (/\s/u.test(line.charAt(at))) {
    if (startsPair(line.slice(at))) return { problem: `\`${key}=\` has no value.`, key };
    return { problem: `There is no space around the \`=\` of \`${key}\`.`, key };
  }
  if (opensQuote(line, at)) return readQuotedValue(line, at, key);
  const end = skip(line, at, /\S*/uy);
  const value = line.slice(at, end);
  if (value.startsWith('`'))
    return {
      problem: `The value of \`${key}\` begins with a backtick: leave it out, or put the whole value in quotes if it belongs to it.`,
      key,
    };
  if (hasInvisible(value))
    return {
      problem: `The value of \`${key}\` has an invisible character in it: type it anew, or put it in quotes if it belongs to it.`,
      key,
    };
  if (value.endsWith(',') && startsPair(line.slice(end)))
    return {
      problem: `The value of \`${key}\` ends with a comma: values are separated by spaces; put it in quotes if the comma belongs to it.`,
      key,
    };
  return { value, end };
}

function readQuotedValue(line: string, at: number, key: string): Read<{ value: string; end: number }> {
  const quoted = readQuoted(line, at);
  if (!quoted.closed)
    return {
      problem: `The quote after \`${key}=\` is not closed on its line; a value of several lines goes in a fenced block.`,
      key,
    };
  if (quoted.value === '') return { problem: `\`${key}=\` has no value.`, key };
  if (/^\S/u.test(line.slice(quoted.end)))
    return {
      problem: `After the closing quote of \`${key}\` comes a space or nothing; a quote inside is written \`\\"\`.`,
      key,
    };
  return quoted;
}

function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  pattern.test(text);
  return Math.max(at, pattern.lastIndex);
}
