import type { Hint, Progress, Trigger } from '../../core/contracts/guard.ts';

/** Words that several guards use. Text of an agent or a tool is cut to one line here. Renderers escape it. */

export const HEADLINE_CHARS = 80;

// Control, line and direction characters, because a headline is one line that reads left to right even if a file name has them.
const BREAKS = /[\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]+/gu;

export function oneLine(text: string, max = 200): string {
  return clip(
    text
      .slice(0, max * 4)
      .replace(BREAKS, ' ')
      .trim(),
    max,
  );
}

export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Joins clauses. If they are too long together, the middle one is left out, then the first one is cut. */
export function joinHeadline(first: string, middle: string | undefined, last: string): string {
  const whole = [first, middle, last].filter(Boolean).join(', ');
  if (whole.length <= HEADLINE_CHARS) return whole;
  return `${clip(first, HEADLINE_CHARS - last.length - 2)}, ${last}`;
}

const DIFFERENTLY = '/guide <what to do differently>';

/** For questions where a hint helps most. */
export const HINT_FIRST: Hint = {
  text: 'If you see the cause, reply with a hint',
  command: DIFFERENTLY,
  first: true,
};

/** For questions about failures whose cause a person may see. */
export const IF_CAUSE_SEEN: Hint = {
  text: 'If you see the cause, say so',
  command: DIFFERENTLY,
  first: false,
};

/** For a guard without a hint of its own. */
export const OWN_WORDS: Hint = { text: 'Or in your own words', command: DIFFERENTLY, first: false };

/** `3/3`, or only the value if there is no threshold. */
export function withThreshold({ observed, threshold }: Trigger): string {
  return threshold === null ? String(observed) : `${observed}/${threshold}`;
}

export const WHAT_NEXT = 'what next?';

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** "3 tests fail". Undefined if nothing was counted or nothing fails. */
export function failingClause({ score }: Progress): string | undefined {
  const failing = score ? score.total - score.passed : 0;
  if (!score || failing <= 0) return undefined;
  return failing === 1 ? `1 ${score.unit.slice(0, -1)} fails` : `${failing} ${score.unit} fail`;
}

/** "2 of 5 tests still failing" */
export function statusClause({ score }: Progress): string {
  if (!score || score.total === 0) return 'nothing verified yet';
  const failing = score.total - score.passed;
  return failing > 0
    ? `${failing} of ${score.total} ${score.unit} still failing`
    : `all ${score.total} ${score.unit} pass`;
}

function ordinal(count: number): string {
  const teen = count % 100 >= 11 && count % 100 <= 13;
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${count}${ending}`;
}

/** "a 21st", "an 8th", "an 11th", "an 18th", "an 80th" */
export function withArticle(count: number): string {
  const text = String(count);
  const vowel = text.startsWith('8') || ((count === 11 || count === 18) && text.length === 2);
  return `${vowel ? 'an' : 'a'} ${ordinal(count)}`;
}
