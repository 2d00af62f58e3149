import { count } from '../../comments/text/words.ts';
import { answerFigures, RESOLUTION_TARGET } from '../../core/analytics.ts';
import type { QuestionSummary } from '../../core/contracts/run-summary.ts';
import { age } from './parts.ts';

/** E-17, P-10: how many questions were answered in time, and how long people take. */
export function describeAnswers(
  questions: readonly QuestionSummary[],
  now: Date,
): { value: string; of: string }[] {
  const asked = questions.map(({ asked_at, resolved_at, by }) => ({
    asked_at,
    closed_at: resolved_at,
    isAnswered: by !== undefined,
  }));
  const { due, resolved, resolved_in_time, rate, median_ms } = answerFigures(asked, now);
  if (rate === undefined) return [{ value: '–', of: 'no question was answered yet' }];
  const target = RESOLUTION_TARGET.rate * 100;
  return [
    {
      value: `${Math.floor(rate * 100)} %`,
      of: `answered within 1 h: ${resolved_in_time} of ${due}, target ${target} %`,
    },
    ...(median_ms === undefined
      ? []
      : [{ value: age(median_ms), of: `median time to an answer, ${count(resolved, 'answer')}` }]),
  ];
}
