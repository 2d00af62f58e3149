/** Nearest rank: the smallest value that at least this share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function round(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}

/** The usual summary of many timings. */
export function summarize(timings: readonly number[]): Record<string, number> {
  return {
    rounds: timings.length,
    p50_ms: round(median(timings)),
    p95_ms: round(percentile(timings, 0.95)),
    max_ms: round(Math.max(...timings)),
  };
}
