export interface Span {
  from: number;
  to: number;
}

/** Sorts the spans and merges those that touch. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else result.push({ from, to });
  }
  return result;
}

/** The spans are in their order and do not overlap. */
export function replaceSpans(text: string, spans: readonly Span[], mask: string): string {
  let replaced = '';
  let at = 0;
  let previous = -1;
  for (const { from, to } of spans) {
    // Adjacent pieces of one long value get one mask.
    replaced += from === previous ? '' : `${text.slice(at, from)}${mask}`;
    at = to;
    previous = to;
  }
  return replaced + text.slice(at);
}
