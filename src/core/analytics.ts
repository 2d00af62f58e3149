import type { Escalation } from './contracts/escalation.ts';

/** The product's own target: 95 % of questions settled within an hour (E-17). */
export const RESOLUTION_TARGET = { rate: 0.95, within_ms: 3_600_000 };

export interface ResolutionFigures {
  total: number;
  /** Questions that a person answered. Expired ones do not count. */
  resolved: number;
  resolved_in_time: number;
  /** Undefined if there are no questions. */
  rate: number | undefined;
  /** The median time from a question to its answer. */
  median_ms: number | undefined;
  by_type: Record<string, number>;
}

export function resolutionFigures(escalations: Escalation[]): ResolutionFigures {
  const by_type: Record<string, number> = {};
  const waits: number[] = [];
  for (const escalation of escalations) {
    by_type[escalation.type] = (by_type[escalation.type] ?? 0) + 1;
    const { created_at, resolved_at, responses } = escalation;
    // No response closed a question that expired.
    if (!resolved_at || responses.at(-1)?.timestamp !== resolved_at) continue;
    waits.push(Date.parse(resolved_at) - Date.parse(created_at));
  }
  const total = escalations.length;
  const inTime = waits.filter((wait) => wait <= RESOLUTION_TARGET.within_ms).length;
  return {
    total,
    resolved: waits.length,
    resolved_in_time: inTime,
    rate: total ? inTime / total : undefined,
    median_ms: median(waits),
    by_type,
  };
}

function median(values: number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}
