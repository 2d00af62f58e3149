import { unescapeJsonText } from './json-unescape.ts';

const MARKERS = ['NEED_HELP>>>', '<<<END_HELP'];
const MAX_DEPTH = 12;
const MAX_VALUES = 10_000;

/** What is not the agent's own word: what a tool, a person, the prompt or a thought says, by the names events have for it. */
const NOT_ITS_WORD =
  /tool|user|human|system|developer|prompt|instruction|input|output|result|command|exec|shell|stdout|stderr|hook|reason|think|thought|patch|diff|file|arg|param|request|history|context|snapshot|subagent|task/i;
const NAMED = /"(?:type|subtype|role|kind|name|event)"\s*:\s*"([^"\\]{0,200})"|"([^"\\]{1,200})"\s*:/g;

/** Of a line the agent's reader made nothing of: what may hold a help block all the same. Never what a tool said. */
export function wordsInUnreadLine(line: string): string {
  if (!line.trimStart().startsWith('{')) return `${unescapeJsonText(line)}\n`;
  if (!MARKERS.some((marker) => unescapeJsonText(line).includes(marker))) return '';
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    // Cut off in the middle: what stands before the block says whose it is.
    return wordsInCutLine(line);
  }
  const words: string[] = [];
  collectWords(event, words, { left: MAX_VALUES }, 0);
  return words.map((text) => `${text}\n`).join('');
}

function wordsInCutLine(line: string): string {
  const before = line.slice(0, Math.max(0, line.search(/(?:<|\\u003c){3}(?:NEED|END)_HELP/i)));
  for (const [, value = '', key = ''] of before.matchAll(NAMED)) {
    if (NOT_ITS_WORD.test(value) || NOT_ITS_WORD.test(key)) return '';
  }
  return `${unescapeJsonText(line)}\n`;
}

function collectWords(value: unknown, into: string[], budget: { left: number }, depth: number): void {
  budget.left -= 1;
  if (budget.left < 0 || depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    into.push(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collectWords(item, into, budget, depth + 1);
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    const isOthers = entries.some(
      ([key, name]) =>
        /^(type|subtype|role|kind|name|event)$/.test(key) &&
        typeof name === 'string' &&
        NOT_ITS_WORD.test(name),
    );
    if (isOthers || ('parent_tool_use_id' in value && value.parent_tool_use_id)) return;
    for (const [key, inner] of entries)
      if (!NOT_ITS_WORD.test(key)) collectWords(inner, into, budget, depth + 1);
  }
}
