import type { Escalation } from './contracts/escalation.ts';

/** The product's own target: 95 % of questions settled within an hour (E-17). */
export const RESOLUTION_TARGET = { rate: 0.95, within_ms: 3_600_000 };

interface Question {
  asked_at: string;
  /** A question that expired, or whose run ended, is closed without an answer. */
  closed_at?: string;
  isAnswered: boolean;
}

interface AnswerFigures {
  /** Questions that can count: all but open ones that are less than an hour old. */
  due: number;
  /** Questions that a person answered. Expired ones do not count. */
  resolved: number;
  resolved_in_time: number;
  /** The share of those that are due. Undefined if there are none. */
  rate: number | undefined;
  /** The median time from a question to its answer. */
  median_ms: number | undefined;
}

export interface ResolutionFigures extends AnswerFigures {
  total: number;
  by_type: Record<string, number>;
}

export function answerFigures(questions: readonly Question[], now: Date): AnswerFigures {
  const latest = now.getTime() - RESOLUTION_TARGET.within_ms;
  const due = questions.filter(({ asked_at, closed_at }) => closed_at || Date.parse(asked_at) <= latest);
  const waits = questions.flatMap(({ asked_at, closed_at, isAnswered }) =>
    closed_at && isAnswered ? [Date.parse(closed_at) - Date.parse(asked_at)] : [],
  );
  const inTime = waits.filter((wait) => wait <= RESOLUTION_TARGET.within_ms).length;
  return {
    due: due.length,
    resolved: waits.length,
    resolved_in_time: inTime,
    rate: due.length > 0 ? inTime / due.length : undefined,
    median_ms: median(waits),
  };
}

export function resolutionFigures(escalations: Escalation[], now: Date): ResolutionFigures {
  const by_type: Record<string, number> = {};
  for (const { type } of escalations) by_type[type] = (by_type[type] ?? 0) + 1;
  const questions = escalations.map(({ created_at, resolved_at, responses }) => ({
    asked_at: created_at,
    closed_at: resolved_at,
    // No response closed a question that expired.
    isAnswered: responses.at(-1)?.timestamp === resolved_at,
  }));
  return { total: escalations.length, ...answerFigures(questions, now), by_type };
}

function median(values: number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}
