import { createJsonUnescaper, unescapeJsonText } from './json-unescape.ts';

const MARKER = /(?:<|\\u003c){3}(?:NEED|END)_HELP/i;
/** What only stands in JSON, whole or cut: an escape, a quoted name, the end of a quoted value. */
const JSON_REMAINS = /\\["nrtu]|"\s*[:,}\]]|[{[]\s*"/;
const MAX_DEPTH = 12;
const MAX_VALUES = 10_000;

/** An event is called by one of these keys. */
const NAME_KEYS = /^(?:type|subtype|role|kind|name|event)$/;
/** Where an event keeps what was said. Ids, times and the like are none of it. */
const WORD_KEYS = new Set(
  'text content contents message data body markdown value part parts block blocks item items payload event choices properties info'.split(
    ' ',
  ),
);
/** What is not the agent's own word: what a tool, a person, the prompt or a thought says, by the names events have for it. */
const NOT_ITS_WORD =
  /tool|user|human|system|developer|prompt|instruction|input|output|result|command|exec|shell|stdout|stderr|hook|reason|think|thought|patch|diff|file|arg|param|request|history|context|snapshot|subagent|task|search|fetch|resource|attach|document|quote|\b(?:read|web|page|mcp|log|match)\b/i;
/** Pieces of what is told whole as well: alone they make no sense, and together they would be doubled. */
const PIECE = /\b(?:delta|chunk|partial|progress|updated|stream)\b/;
const SPEAKER = /\b(?:assistant|agent)\b/;
const MESSAGE = /\b(?:message|text|model)\b/;
/** What may stand beside `message` or `text` where nobody is named as the speaker. */
const PLAIN_NAME =
  /^(?:(?:message|text|model|item|part|content|block|event|msg|chat|completed|created|new|final|end|done|say)\b ?)+$/;
const NAMED = /"(?:type|subtype|role|kind|name|event)"\s*:\s*"([^"\\]{0,200})"|"([^"\\]{1,200})"\s*:/g;

/** Of a line the agent's reader does not know: what may hold a help block all the same. Never what a tool said. */
export function wordsInUnreadLine(line: string): string {
  if (!MARKER.test(line)) return /^\s*(?:\{|\[\s*[{"])/.test(line) ? '' : `${line}\n`;
  if (!JSON_REMAINS.test(line)) return `${line}\n`;
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    // Cut off in the middle, or behind something else: what stands before the block says whose it is.
    return isItsOwn(line.slice(0, line.search(MARKER))) ? `${unescapeJsonText(line)}\n` : '';
  }
  const words: string[] = [];
  collectWords(event, { words, left: MAX_VALUES }, { depth: 0, said: false });
  return words.map((text) => `${text}\n`).join('');
}

/** A line that is too long to be held, in pieces: what it begins with says whose word it is. `plain`: JSON or not, it is the agent's. */
export function createOverlongWords({ plain = false } = {}): { feed(piece: string, final: boolean): string } {
  const unescaper = createJsonUnescaper();
  let its: boolean | undefined;
  return {
    feed(piece, final) {
      its ??= isItsOwnStart(piece, plain);
      const words = its ? unescaper.feed(piece) + (final ? unescaper.end() : '') : '';
      if (final) its = undefined;
      return words;
    },
  };
}

function isItsOwnStart(piece: string, plain: boolean): boolean {
  const block = piece.search(MARKER);
  const before = block === -1 ? piece : piece.slice(0, block);
  if (plain) return !/^\s*\{/.test(piece) || !namesIn(before).some((name) => NOT_ITS_WORD.test(name));
  return JSON_REMAINS.test(piece) ? isItsOwn(before) : true;
}

/** By the names and keys of JSON that has no end. */
function isItsOwn(before: string): boolean {
  const keys = [...before.matchAll(NAMED)].map(([, , key = '']) => spaced(key));
  const names = namesIn(before);
  return !keys.some((key) => NOT_ITS_WORD.test(key)) && !names.some(isOthers) && names.some(isSaid);
}

function namesIn(json: string): string[] {
  return [...json.matchAll(NAMED)].map(([, name = '']) => spaced(name)).filter(Boolean);
}

/** `toolCall.updated` as words. */
function spaced(name: string): string {
  return name
    .replaceAll(/([a-z])(?=[A-Z])/g, '$1 ')
    .replaceAll(/[^A-Za-z]+/g, ' ')
    .trim()
    .toLowerCase();
}

function isOthers(name: string): boolean {
  return NOT_ITS_WORD.test(name) || PIECE.test(name);
}

function isSaid(name: string): boolean {
  return SPEAKER.test(name) || (MESSAGE.test(name) && PLAIN_NAME.test(name));
}

interface Found {
  words: string[];
  left: number;
}

/** `said`: something around it is called a message of the agent. */
function collectWords(value: unknown, found: Found, { depth, said }: { depth: number; said: boolean }): void {
  found.left -= 1;
  if (found.left < 0 || depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    if (said) found.words.push(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collectWords(item, found, { depth: depth + 1, said });
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    const names = entries.flatMap(([key, name]) =>
      NAME_KEYS.test(key) && typeof name === 'string' ? [spaced(name)] : [],
    );
    if (names.some(isOthers) || ('parent_tool_use_id' in value && value.parent_tool_use_id)) return;
    const inside = { depth: depth + 1, said: said || names.some(isSaid) };
    for (const [key, inner] of entries) {
      if (WORD_KEYS.has(key) && !(NAME_KEYS.test(key) && typeof inner === 'string'))
        collectWords(inner, found, inside);
    }
  }
}
