/** A range of a text that is removed, and its replacement. */
export interface Cut {
  start: number;
  end: number;
  instead: string;
}

/** Sorts the cuts and removes overlaps. An outer cut includes the inner ones. */
export function mergeCuts(cuts: Cut[]): Cut[] {
  const merged: Cut[] = [];
  for (const cut of cuts.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last && cut.start < last.end) last.end = Math.max(last.end, cut.end);
    else if (cut.end > cut.start) merged.push({ ...cut });
  }
  return merged;
}

/** The text from `start` to `end` after merged cuts. */
export function applyCuts(text: string, cuts: Cut[], start: number, end: number): string {
  let shown = '';
  let at = start;
  for (let index = firstAfter(cuts, start); index < cuts.length; index += 1) {
    const cut = cuts[index];
    if (!cut || cut.start >= end) break;
    shown += text.slice(at, Math.max(at, cut.start)) + (cut.start >= start ? cut.instead : '');
    at = cut.end;
  }
  return at < end ? shown + text.slice(at, end) : shown;
}

/** Index of the first cut that ends after this offset. */
function firstAfter(cuts: Cut[], offset: number): number {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cuts[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
