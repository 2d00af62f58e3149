import type { KnownIssue } from '../../contracts/run-event.ts';
import { lastVerification } from '../../contracts/run-state.ts';
import { resumeRun } from '../answer/resume-run.ts';
import { knownIssueFrom, knownIssueTitle } from '../completion.ts';
import { ignoreCi } from '../revise/answer-ci.ts';
import type { CommandRule } from './command-rule.ts';
import { REFUSED_LATE, REFUSED_WITHOUT_QUESTION } from './refused.ts';

/** G-9: the failure becomes a known issue, and the agent finishes the rest. */
export const skipRule: CommandRule = {
  ...REFUSED_LATE,
  ...REFUSED_WITHOUT_QUESTION,
  listed: {},
  /** V-7: CI that fails on the head is left as it is. */
  resting: (given) => ignoreCi(given) ?? REFUSED_LATE.resting(given),
  asked(answer) {
    const { state, pending, input } = answer;
    const { at, by } = input;
    const title = knownIssueTitle(pending);
    const issue: KnownIssue = {
      title,
      ...knownIssueFrom(lastVerification(state) ?? state.baseline),
      by,
      at,
    };
    const isNew = !state.known_issues.some((known) => covers(known, issue));
    return resumeRun(answer, {
      instruction: `Skip this and finish the rest of the task; it is recorded as a known issue: ${title}`,
      before: isNew ? [{ type: 'known_issue_recorded', at, issue }] : [],
    });
  },
};

/** A failure that is skipped a second time is not listed again. */
function covers(known: KnownIssue, issue: KnownIssue): boolean {
  return (
    known.title === issue.title &&
    issue.tests.every((name) => known.tests.includes(name)) &&
    issue.checks.every((command) => known.checks.includes(command))
  );
}
