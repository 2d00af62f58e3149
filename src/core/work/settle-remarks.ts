import type { RemarkAnswer } from '../contracts/agent/remark-answer.ts';
import type { Remark, SettledRemark } from '../contracts/revision.ts';

/**
 * V-3: the agent's word "fixed" counts only if the remark's file is among the files that the round changed. Answers to remarks
 * that do not exist are dropped; the last of several answers counts. A suggestion that is in the file is applied, whoever did it.
 */
export function settleRemarks(
  remarks: readonly Remark[],
  answers: readonly RemarkAnswer[],
  { changed, applied }: { changed: ReadonlySet<string>; applied: ReadonlySet<string> },
): SettledRemark[] {
  const said = new Map(answers.map((answer) => [answer.id, answer]));
  return remarks.map(({ id, path }) => {
    const answer = said.get(id);
    if (applied.has(id) && (answer === undefined || answer.result === 'fixed'))
      return { id, result: 'applied' as const };
    if (!answer) return { id, result: 'unanswered' as const };
    const isClaimOnly = answer.result === 'fixed' && path !== undefined && !changed.has(path);
    const result = isClaimOnly ? ('unchanged' as const) : answer.result;
    return answer.note === '' ? { id, result } : { id, result, note: answer.note };
  });
}
