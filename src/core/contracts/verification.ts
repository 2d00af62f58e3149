import * as z from 'zod';

/** One error as it was seen. `signature` is the message without its volatile parts: equal signatures are "the same error". */
export const ErrorSighting = z.object({
  message: z.string(),
  signature: z.string(),
  file: z.string().optional(),
  line: z.number().int().positive().optional(),
});
export type ErrorSighting = z.infer<typeof ErrorSighting>;

/** Something outside the repository that no number of turns will fix (E-7). */
export const ExternalBlocker = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('missing_dependency'),
    name: z.string(),
    version: z.string().optional(),
    required_by: z.string().optional(),
  }),
  z.object({
    kind: z.literal('permission_denied'),
    resource: z.string(),
    operation: z.enum(['read', 'write', 'execute', 'unknown']),
  }),
  z.object({
    kind: z.literal('api_unavailable'),
    endpoint: z.string(),
    status: z.number().int().optional(),
    /** A time-out or reset: only a second one in a row, with no success between, is a blocker. */
    transient: z.boolean(),
  }),
]);
export type ExternalBlocker = z.infer<typeof ExternalBlocker>;

export const TestCounts = z.object({
  passed: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  skipped: z.number().int().nonnegative(),
  /** Names of failing tests as the test runner prints them, at most 50. */
  failing: z.array(z.string()),
});
export type TestCounts = z.infer<typeof TestCounts>;

/** One verify command, run once by Autobuild. */
export const CheckResult = z.object({
  command: z.string(),
  ok: z.boolean(),
  exit_code: z.number().int().nullable(),
  timed_out: z.boolean(),
  duration_ms: z.number().nonnegative(),
  output_tail: z.string(),
  tests: TestCounts.optional(),
  errors: z.array(ErrorSighting),
  blocker: ExternalBlocker.optional(),
});
export type CheckResult = z.infer<typeof CheckResult>;

/** The repository's own checks, run by Autobuild: the only thing that can say a task is complete. */
export const Verification = z.object({
  at: z.iso.datetime(),
  ok: z.boolean(),
  checks: z.array(CheckResult),
  /** Sum over all checks that print test counts; absent when none does. */
  tests: TestCounts.optional(),
});
export type Verification = z.infer<typeof Verification>;

/** Passed and total of what can be counted: tests, or whole checks where no check counts tests. */
export function score(verification: Verification): {
  unit: 'tests' | 'checks';
  passed: number;
  total: number;
} {
  const { tests, checks } = verification;
  if (tests && tests.passed + tests.failed > 0)
    return { unit: 'tests', passed: tests.passed, total: tests.passed + tests.failed };
  return { unit: 'checks', passed: checks.filter((check) => check.ok).length, total: checks.length };
}
