import type { Escalation } from './escalation.ts';
import type { KnownIssue, TurnRecord } from './run-event.ts';
import type { CheckResult, Verification } from './verification.ts';

/** K-10: the player says `implemented` and the checks agree. Its word alone is never enough, and neither are the checks. */
export function isComplete(record: TurnRecord, knownIssues: KnownIssue[]): boolean {
  if (record.kind !== 'normal' || record.read?.report?.status !== 'implemented') return false;
  return record.verification !== undefined && passes(record.verification, knownIssues);
}

/** Passes outright, or fails only where a person said to skip it (G-9). */
export function passes({ ok, checks }: Verification, knownIssues: KnownIssue[]): boolean {
  if (checks.length === 0) return false;
  return ok || checks.every((check) => check.ok || isKnown(check, knownIssues));
}

function isKnown(check: CheckResult, knownIssues: KnownIssue[]): boolean {
  if (knownIssues.some((issue) => issue.checks.includes(check.command))) return true;
  if (!namesAllFailing(check)) return false;
  return check.tests.failing.every((test) => knownIssues.some((issue) => issue.tests.includes(test)));
}

/** What a person skips: the failing tests by name where the check names them all, else the check itself. */
export function knownIssueFrom(verification: Verification | undefined): Pick<KnownIssue, 'tests' | 'checks'> {
  const failing = verification?.checks.filter((check) => !check.ok) ?? [];
  return {
    tests: failing.filter(namesAllFailing).flatMap((check) => check.tests.failing),
    checks: failing.filter((check) => !namesAllFailing(check)).map((check) => check.command),
  };
}

const TITLE_LENGTH = 200;

/** What is skipped, for the record: the error itself where there is one, else what the question was about. */
export function knownIssueTitle({ triggers, what_i_need, question }: Escalation): string {
  const error = triggers.flatMap((trigger) => trigger.evidence.occurrences ?? []).at(-1)?.error.message;
  const text = error ?? what_i_need ?? question.replace(/ How to proceed\?$/, '');
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1)}…` : line;
}

/** The list of names is bounded: with more failures than names, a new one could hide among the unnamed. */
function namesAllFailing(check: CheckResult): check is CheckResult & Required<Pick<CheckResult, 'tests'>> {
  const tests = check.tests;
  return tests !== undefined && tests.failing.length > 0 && tests.failing.length === tests.failed;
}
