import { errorHistory } from '../answer/error-history.ts';
import { resumeRun } from '../answer/resume-run.ts';
import { refuseMissing } from '../answer/still-missing.ts';
import type { CommandRule } from './command-rule.ts';
import { REFUSED_LATE, REFUSED_WITHOUT_QUESTION } from './refused.ts';

/** G-4 */
export const retryRule: CommandRule = {
  ...REFUSED_LATE,
  ...REFUSED_WITHOUT_QUESTION,
  listed: {},
  asked(answer) {
    const instruction = ['Retry, with these errors in mind:', ...errorHistory(answer.pending)].join('\n');
    return refuseMissing(answer) ?? resumeRun(answer, { instruction });
  },
};
