import { errorHistory } from '../answer/error-history.ts';
import { resumeRun } from '../answer/resume-run.ts';
import { refuseMissing } from '../answer/still-missing.ts';
import type { CommandRule } from './command-rule.ts';
import { REFUSED_LATE, REFUSED_WITHOUT_QUESTION } from './refused.ts';

/** G-8: the next turn only looks for the root cause. */
export const debugRule: CommandRule = {
  ...REFUSED_LATE,
  ...REFUSED_WITHOUT_QUESTION,
  listed: {},
  asked(answer) {
    const task = 'Find the root cause of this before anything else:';
    const instruction = [task, ...errorHistory(answer.pending)].join('\n');
    return refuseMissing(answer) ?? resumeRun(answer, { instruction, endsTurn: true, nextTurn: 'debug' });
  },
};
