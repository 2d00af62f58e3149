const CONTEXT = 3;
/** Beyond this product of line numbers the changed part is shown as removed and added as a whole, because comparing takes too long. */
const MAX_CELLS = 250_000;
const MAX_LINES = 100_000;

interface Line {
  mark: ' ' | '-' | '+';
  text: string;
}

/** The change of one file as the hunks of a unified diff, at most `maxChars` long. Empty if nothing differs. */
export function diffLines(before: string, after: string, maxChars: number): string {
  if (before === after) return '';
  if (before.includes('\0') || after.includes('\0')) return 'Binary content.';
  const [a, b] = [splitLines(before), splitLines(after)];
  if (a.length + b.length > MAX_LINES)
    return `Too long to compare: ${a.length} lines before, ${b.length} after.`;
  const text = renderHunks(compare(a, b));
  return text.length > maxChars
    ? `${text.slice(0, maxChars)}\n… cut, ${text.length} characters in all`
    : text;
}

function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') return lines.slice(0, -1);
  return [...lines.slice(0, -1), `${lines.at(-1)} (no newline at the end)`];
}

function compare(a: readonly string[], b: readonly string[]): Line[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const same = (lines: readonly string[]) => lines.map((text): Line => ({ mark: ' ', text }));
  return [
    ...same(a.slice(0, start)),
    ...compareMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ];
}

function compareMiddle(a: readonly string[], b: readonly string[]): Line[] {
  const removed = a.map((text): Line => ({ mark: '-', text }));
  const added = b.map((text): Line => ({ mark: '+', text }));
  if (a.length * b.length > MAX_CELLS) return [...removed, ...added];
  const width = b.length + 1;
  // The length of the longest common subsequence of the lines from i and from j on.
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ mark: ' ', text: a[i] ?? '' });
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push(...removed.slice(i, ++i));
    else lines.push(...added.slice(j, ++j));
  }
  return [...lines, ...removed.slice(i), ...added.slice(j)];
}

function renderHunks(lines: readonly Line[]): string {
  const shown = new Set<number>();
  for (const [index, { mark }] of lines.entries()) {
    if (mark === ' ') continue;
    for (let near = index - CONTEXT; near <= index + CONTEXT; near += 1) shown.add(near);
  }
  const out: string[] = [];
  let [old, now, open] = [1, 1, false];
  for (const [index, { mark, text }] of lines.entries()) {
    const isShown = shown.has(index);
    if (isShown && !open) out.push(`@@ -${old} +${now} @@`);
    if (isShown) out.push(`${mark}${text}`);
    open = isShown;
    if (mark !== '+') old += 1;
    if (mark !== '-') now += 1;
  }
  return out.join('\n');
}
