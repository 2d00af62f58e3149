import type { EscalationContext } from '../contracts/escalation.ts';
import type { Verification } from '../contracts/verification.ts';

const OUTPUT_KEPT = 4_000;

/** The output of the most telling check: the first that fails, else the last. */
export function lastOutputOf(at: string, verification: Verification): EscalationContext['last_output'] {
  const check = verification.checks.find((candidate) => !candidate.ok) ?? verification.checks.at(-1);
  if (!check) return undefined;
  const counts = check.tests ? `, ${check.tests.passed} passed, ${check.tests.failed} failed` : '';
  const end = check.timed_out
    ? 'timed out'
    : check.exit_code === null
      ? 'was killed by a signal'
      : `exited with code ${check.exit_code}`;
  return {
    at,
    command: check.command,
    result: `${end}${counts}`,
    tail: check.output_tail.slice(-OUTPUT_KEPT),
  };
}
