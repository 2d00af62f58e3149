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
 * The remarks whose suggestion is in the work, by the desk's own reading. The same text elsewhere in the file may be there for
 * another reason, as with a lone bracket: it counts in its place, or below the line that the reviewer saw above it. Only the
 * agent can say whether it followed one that is not found, or whose lines have changed since.
 */
export function suggestionsIn({ files }: Changeset, remarks: readonly Remark[]): string[] {
  const inPlace = remarks.filter(({ now }) => now !== undefined).filter(hasSuggestion);
  const found = files.flatMap(({ path, content }) =>
    content
      ? foundIn(
          decode(content),
          inPlace.filter((remark) => remark.path === path),
        )
      : [],
  );
  return inPlace.filter(({ id }) => found.includes(id)).map(({ id }) => id);
}

function foundIn(text: string, remarks: readonly WithSuggestion[]): string[] {
  const lines = text.split(/\r?\n/);
  const found: string[] = [];
  // The suggestions above move the place of those below.
  let moved = 0;
  for (const remark of remarks.toSorted((one, other) => placeOf(one).start - placeOf(other).start)) {
    const { start, end } = placeOf(remark);
    const wanted = linesOf(remark.suggestion.replacement);
    if (!isThere(lines, start - 1 + moved, remark)) continue;
    found.push(remark.id);
    moved += wanted.length - (end - start + 1);
  }
  return found;
}

function isThere(lines: readonly string[], at: number, { suggestion, code }: WithSuggestion): boolean {
  const { original, replacement } = suggestion;
  const [old, wanted] = [original.replace(/\r$/, '').split(/\r?\n/), linesOf(replacement)];
  if (wanted.length === 0) return !includesLines(lines, old);
  if (isSameText(lines.slice(at, at + wanted.length), wanted.join('\n'))) return true;
  const above = linesAbove(code, old.length);
  return above.length > 0 && includesLines(lines, [...above, ...wanted]);
}

function includesLines(lines: readonly string[], wanted: readonly string[]): boolean {
  return `\n${lines.join('\n')}\n`.includes(`\n${wanted.join('\n')}\n`);
}

/** From the last line with words above those of the remark, which are the end of its part of the diff. */
function linesAbove(code = '', below: number): string[] {
  const shown = code.split(/\r?\n/).filter((line) => line.startsWith('+') || line.startsWith(' '));
  const above = shown.slice(0, -below).map((line) => line.slice(1));
  const last = above.findLastIndex((line) => line.trim() !== '');
  return last === -1 ? [] : above.slice(last);
}

function decode(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
}
