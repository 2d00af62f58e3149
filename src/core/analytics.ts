import type { Escalation } from './escalation.ts';

/** The product's own target: 95 % of questions settled within an hour (E-17). */
export const RESOLUTION_TARGET = { rate: 0.95, within_ms: 3_600_000 };

export interface ResolutionFigures {
  total: number;
  resolved: number;
  resolved_in_time: number;
  /** Undefined while there is nothing to divide by. */
  rate: number | undefined;
  by_type: Record<string, number>;
}

export function resolutionFigures(escalations: Escalation[]): ResolutionFigures {
  const by_type: Record<string, number> = {};
  let resolved = 0;
  let inTime = 0;
  for (const escalation of escalations) {
    by_type[escalation.type] = (by_type[escalation.type] ?? 0) + 1;
    if (!escalation.resolved_at) continue;
    resolved += 1;
    const took = Date.parse(escalation.resolved_at) - Date.parse(escalation.created_at);
    if (took <= RESOLUTION_TARGET.within_ms) inTime += 1;
  }
  const total = escalations.length;
  return { total, resolved, resolved_in_time: inTime, rate: total ? inTime / total : undefined, by_type };
}
