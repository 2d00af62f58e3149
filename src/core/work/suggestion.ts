import type { Remark } from '../contracts/revision.ts';
import type { Changeset } from './changeset.ts';

type Suggestion = NonNullable<Remark['suggestion']>;
type WithSuggestion = Remark & { path: string; suggestion: Suggestion };

export function hasSuggestion(remark: Remark): remark is WithSuggestion {
  return remark.suggestion !== undefined && remark.path !== undefined;
}

/** The lines that a suggestion replaces in the head of the round. */
function placeOf({ now, suggestion }: WithSuggestion): { start: number; end: number } {
  if (!now) return suggestion;
  return { start: now.start_line ?? now.line, end: now.line };
}

/**
 * V-3: replaces the lines of each suggestion, from the last to the first, so that the places of the others stay. One whose lines
 * are not as the reviewer saw them is left to the agent.
 */
export function applySuggestions(
  text: string,
  remarks: readonly WithSuggestion[],
): { text: string; applied: string[] } {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/\r?\n/);
  const applied: string[] = [];
  let above = Number.POSITIVE_INFINITY;
  for (const remark of remarks.toSorted((one, other) => placeOf(other).end - placeOf(one).end)) {
    const { start, end } = placeOf(remark);
    const { original, replacement } = remark.suggestion;
    if (end >= above || !isSameText(lines.slice(start - 1, end), original)) continue;
    lines.splice(start - 1, end - start + 1, ...linesOf(replacement));
    applied.push(remark.id);
    above = start;
  }
  return { text: lines.join(eol), applied };
}

/** An empty replacement deletes the lines. */
function linesOf(replacement: string): string[] {
  return replacement === '' ? [] : replacement.split(/\r?\n/);
}

function isSameText(lines: readonly string[], original: string): boolean {
  return lines.join('\n') === original.replaceAll('\r\n', '\n').replace(/\r$/, '');
}

/**
 * The remarks whose suggestion is in the work, by the desk's own reading. If its lines have changed since, the same text may be
 * there for another reason, so that only the agent can say whether it followed.
 */
export function suggestionsIn({ files }: Changeset, remarks: readonly Remark[]): string[] {
  const texts = new Map(files.map(({ path, content }) => [path, content]));
  const inPlace = remarks.filter(({ now }) => now !== undefined);
  return inPlace.filter(hasSuggestion).flatMap((remark) => {
    const content = texts.get(remark.path);
    return content && isIn(decode(content), remark.suggestion) ? [remark.id] : [];
  });
}

function isIn(text: string, { original, replacement }: Suggestion): boolean {
  const around = (lines: string) => `\n${lines.replaceAll('\r\n', '\n')}\n`;
  const whole = around(text);
  return replacement === '' ? !whole.includes(around(original)) : whole.includes(around(replacement));
}

function decode(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
}
