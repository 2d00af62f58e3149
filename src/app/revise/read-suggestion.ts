import type { Remark } from '../../core/contracts/revision.ts';
import type { ReviewThread } from '../../core/ports/github/review-port.ts';

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const OPENING = /^ {0,3}(`{3,}|~{3,})\s*suggestion\s*$/;

/** The replacement for whole lines that a remark suggests. Undefined if there is none, or if its lines are not in the diff. */
export function readSuggestion(
  body: string,
  hunk: string,
  { side, subject, original_line, original_start_line }: ReviewThread,
): Remark['suggestion'] {
  if (side !== 'RIGHT' || subject !== 'LINE' || original_line === undefined) return undefined;
  const replacement = findReplacement(body);
  if (replacement === undefined) return undefined;
  const start = original_start_line ?? original_line;
  const original = newLines(hunk).slice(-(original_line - start + 1));
  if (original.length !== original_line - start + 1) return undefined;
  return { start, end: original_line, original: original.join('\n'), replacement };
}

/** The content of the first fence with the word `suggestion`. Longer fences may hold shorter ones. */
function findReplacement(body: string): string | undefined {
  const lines = body.replaceAll('\r\n', '\n').split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const fence = FENCE.exec(lines[at] ?? '')?.[1];
    if (!fence) continue;
    const end = lines.findIndex((line, index) => index > at && closes(line, fence));
    if (OPENING.test(lines[at] ?? '')) return end === -1 ? undefined : lines.slice(at + 1, end).join('\n');
    // The rest of another block shows a suggestion and makes none.
    if (end === -1) return undefined;
    at = end;
  }
  return undefined;
}

function closes(line: string, fence: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1];
  return found?.[0] === fence[0] && found !== undefined && found.length >= fence.length;
}

/** The lines of the new side, in the part of the diff that GitHub shows above a remark. The last one is the remark's. */
function newLines(hunk: string): string[] {
  return hunk
    .split('\n')
    .slice(1)
    .filter((line) => !line.startsWith('-') && !line.startsWith('\\'))
    .map((line) => line.slice(1));
}
