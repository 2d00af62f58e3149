import { createJsonUnescaper, unescapeJsonText } from './json-unescape.ts';

const MARKER = /(?:<|\\u003c){3}(?:NEED|END)_HELP/i;
/** Signs of JSON, complete or cut off: an escape, a quoted name, the end of a quoted value. */
const JSON_REMAINS = /\\["nrtu]|"\s*[:,}\]]|[{[]\s*"/;
const MAX_DEPTH = 12;
const MAX_VALUES = 10_000;

/** The keys under which an event gives its type or speaker. */
const NAME_KEYS = /^(?:type|subtype|role|kind|name|event)$/;
/** The keys under which an event keeps message text. Ids, times and the like are not searched. */
const WORD_KEYS = new Set(
  'text content contents message data body markdown value part parts block blocks item items payload event choices properties info'.split(
    ' ',
  ),
);
/** Event names and keys for text that is not the agent's message: output of a tool, a person's text, the prompt, reasoning. */
const FOREIGN_NAME =
  /tool|user|human|system|developer|prompt|instruction|input|output|result|command|exec|shell|stdout|stderr|hook|reason|think|thought|patch|diff|file|arg|param|request|history|context|snapshot|subagent|task|search|fetch|resource|attach|document|quote|\b(?:read|web|page|mcp|log|match)\b/i;
/** Names of streaming pieces. They are skipped, because the complete message follows and would be read twice. */
const PIECE = /\b(?:delta|chunk|partial|progress|updated|stream)\b/;
const SPEAKER = /\b(?:assistant|agent)\b/;
const MESSAGE = /\b(?:message|text|model)\b/;
/** The only words a name may have beside `message` or `text` if it names no speaker. */
const PLAIN_NAME =
  /^(?:(?:message|text|model|item|part|content|block|event|msg|chat|completed|created|new|final|end|done|say)\b ?)+$/;
const NAMED = /"(?:type|subtype|role|kind|name|event)"\s*:\s*"([^"\\]{0,200})"|"([^"\\]{1,200})"\s*:/g;

/** A string of JSON that begins with a block, which begins its own line then. */
const STARTS_WITH_BLOCK = /("\s*:\s*")(?=(?:<|\\u003c){3}NEED_HELP)/gi;

/** The text of JSON that may be cut off. */
export function plainWords(json: string): string {
  return unescapeJsonText(json.replace(STARTS_WITH_BLOCK, '$1\n'));
}

/**
 * The words of the agent in a line of its stream that its reader does not know, as far as they may hold a help block. Plain
 * text is nobody's message, because any program may have printed it.
 */
export function wordsInUnreadLine(line: string): string {
  if (!MARKER.test(line) || !JSON_REMAINS.test(line)) return '';
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    // The JSON is cut off or follows other text. The names before the block then say who wrote it.
    const isOwn = isInAgentMessage(line.slice(0, line.search(MARKER)));
    return isOwn ? `${plainWords(line)}\n` : '';
  }
  const words: string[] = [];
  collectWords(event, { words, left: MAX_VALUES }, { depth: 0, inMessage: false });
  return words.map((text) => `${text}\n`).join('');
}

/**
 * The same for a line that is too long to be buffered. Its first piece decides whether the whole line is the agent's message.
 * `plain`: the agent prints text and not events, so JSON is part of its message unless its names say otherwise.
 */
export function createOverlongWords({ plain = false } = {}): { feed(piece: string, final: boolean): string } {
  const unescaper = createJsonUnescaper();
  let fromAgent: boolean | undefined;
  return {
    feed(piece, final) {
      fromAgent ??= startsAgentMessage(piece, plain);
      const words = fromAgent
        ? unescaper.feed(piece.replace(STARTS_WITH_BLOCK, '$1\n')) + (final ? `${unescaper.end()}\n` : '')
        : '';
      if (final) fromAgent = undefined;
      return words;
    },
  };
}

function startsAgentMessage(piece: string, plain: boolean): boolean {
  const block = piece.search(MARKER);
  const before = block === -1 ? piece : piece.slice(0, block);
  if (plain) return !/^\s*\{/.test(piece) || !namesIn(before).some((name) => FOREIGN_NAME.test(name));
  return JSON_REMAINS.test(piece) && isInAgentMessage(before);
}

/** Whether text after this incomplete JSON belongs to a message of the agent, judged by the names and keys in it. */
function isInAgentMessage(before: string): boolean {
  const keys = [...before.matchAll(NAMED)].map(([, , key = '']) => spaced(key));
  const names = namesIn(before);
  return !keys.some((key) => FOREIGN_NAME.test(key)) && !names.some(isForeign) && names.some(isMessageName);
}

function namesIn(json: string): string[] {
  return [...json.matchAll(NAMED)].map(([, name = '']) => spaced(name)).filter(Boolean);
}

/** Splits a name into lower-case words: `toolCall.updated` becomes `tool call updated`. */
function spaced(name: string): string {
  return name
    .replaceAll(/([a-z])(?=[A-Z])/g, '$1 ')
    .replaceAll(/[^A-Za-z]+/g, ' ')
    .trim()
    .toLowerCase();
}

function isForeign(name: string): boolean {
  return FOREIGN_NAME.test(name) || PIECE.test(name);
}

function isMessageName(name: string): boolean {
  return SPEAKER.test(name) || (MESSAGE.test(name) && PLAIN_NAME.test(name));
}

interface Found {
  words: string[];
  left: number;
}

/** `inMessage`: an enclosing object is named a message of the agent. */
function collectWords(
  value: unknown,
  found: Found,
  { depth, inMessage }: { depth: number; inMessage: boolean },
): void {
  found.left -= 1;
  if (found.left < 0 || depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    if (inMessage) found.words.push(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collectWords(item, found, { depth: depth + 1, inMessage });
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    const names = entries.flatMap(([key, name]) =>
      NAME_KEYS.test(key) && typeof name === 'string' ? [spaced(name)] : [],
    );
    if (names.some(isForeign) || ('parent_tool_use_id' in value && value.parent_tool_use_id)) return;
    const inside = { depth: depth + 1, inMessage: inMessage || names.some(isMessageName) };
    for (const [key, inner] of entries) {
      if (WORD_KEYS.has(key) && !(NAME_KEYS.test(key) && typeof inner === 'string'))
        collectWords(inner, found, inside);
    }
  }
}
