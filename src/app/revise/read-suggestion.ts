import type { Remark } from '../../core/contracts/revision.ts';
import type { ReviewThread } from '../../core/ports/github/review-port.ts';

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
  const begin = lines.findIndex((line) => OPENING.test(line));
  const fence = OPENING.exec(lines[begin] ?? '')?.[1];
  if (!fence) return undefined;
  const isClosing = (line: string) => {
    const found = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1];
    return found?.[0] === fence[0] && found !== undefined && found.length >= fence.length;
  };
  const end = lines.findIndex((line, index) => index > begin && isClosing(line));
  return end === -1 ? undefined : lines.slice(begin + 1, end).join('\n');
}

/** The lines of the new side, in the part of the diff that GitHub shows above a remark. The last one is the remark's. */
function newLines(hunk: string): string[] {
  return hunk
    .split('\n')
    .slice(1)
    .filter((line) => !line.startsWith('-') && !line.startsWith('\\'))
    .map((line) => line.slice(1));
}
