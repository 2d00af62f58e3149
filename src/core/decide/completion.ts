import type { Escalation } from '../contracts/escalation.ts';
import type { KnownIssue, TurnRecord } from '../contracts/run-event.ts';
import type { CheckResult, TestCounts, Verification } from '../contracts/verification.ts';

/** K-10: the player reports `implemented` and the checks pass. Neither is enough alone. */
export function isComplete(record: TurnRecord, knownIssues: KnownIssue[]): boolean {
  if (record.kind !== 'normal' || record.read?.report?.status !== 'implemented') return false;
  return record.verification !== undefined && passes(record.verification, knownIssues);
}

/** True if all checks pass, or if only those fail that a person has skipped (G-9). */
export function passes({ ok, checks }: Verification, knownIssues: KnownIssue[]): boolean {
  if (checks.length === 0) return false;
  return ok || checks.every((check) => check.ok || isKnown(check, knownIssues));
}

function isKnown(check: CheckResult, knownIssues: KnownIssue[]): boolean {
  if (knownIssues.some((issue) => issue.checks.includes(check.command))) return true;
  if (!namesAllFailing(check)) return false;
  return check.tests.failing.every((test) => knownIssues.some((issue) => issue.tests.includes(test)));
}

/** The verification for the guards: failures that a person has skipped neither fail nor count (G-9). */
export function withoutSkipped(verification: Verification, knownIssues: KnownIssue[]): Verification {
  if (knownIssues.length === 0) return verification;
  const skipped = new Set(knownIssues.flatMap((issue) => issue.tests));
  const checks = verification.checks.map((check): CheckResult => {
    if (check.ok) return check;
    if (isKnown(check, knownIssues)) {
      return {
        ...check,
        ok: true,
        errors: [],
        blocker: undefined,
        tests: check.tests && { ...check.tests, failed: 0, failing: [] },
      };
    }
    const failing = check.tests?.failing.filter((test) => !skipped.has(test)) ?? [];
    const known = (check.tests?.failing.length ?? 0) - failing.length;
    return {
      ...check,
      tests: check.tests && { ...check.tests, failed: check.tests.failed - known, failing },
    };
  });
  const counted = checks.flatMap((check) => check.tests ?? []);
  const sum = (count: (tests: TestCounts) => number) =>
    counted.reduce((total, tests) => total + count(tests), 0);
  return {
    ...verification,
    ok: checks.every((check) => check.ok),
    checks,
    tests:
      counted.length === 0
        ? undefined
        : {
            passed: sum((tests) => tests.passed),
            failed: sum((tests) => tests.failed),
            skipped: sum((tests) => tests.skipped),
            failing: counted.flatMap((tests) => tests.failing).slice(0, 50),
          },
  };
}

/** The failing tests by name for a check that names all of them, else the check as a whole. */
export function knownIssueFrom(verification: Verification | undefined): Pick<KnownIssue, 'tests' | 'checks'> {
  const failing = verification?.checks.filter((check) => !check.ok) ?? [];
  return {
    tests: failing.filter(namesAllFailing).flatMap((check) => check.tests.failing),
    checks: failing.filter((check) => !namesAllFailing(check)).map((check) => check.command),
  };
}

const TITLE_LENGTH = 200;

/** The title of a skipped failure: its error message if there is one, else the subject of the question. */
export function knownIssueTitle({ triggers, what_i_need, question }: Escalation): string {
  const error = triggers.flatMap((trigger) => trigger.evidence.occurrences ?? []).at(-1)?.error.message;
  const text = error ?? what_i_need ?? question.replace(/ How to proceed\?$/, '');
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1)}…` : line;
}

/** The list of names is bounded. With more failures than names, a new failure could hide among the unnamed ones. */
function namesAllFailing(check: CheckResult): check is CheckResult & Required<Pick<CheckResult, 'tests'>> {
  const tests = check.tests;
  return tests !== undefined && tests.failing.length > 0 && tests.failing.length === tests.failed;
}
