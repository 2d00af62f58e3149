import * as z from 'zod';

/** One error in an output. `signature` is the message without its volatile parts; equal signatures are "the same error". */
export const ErrorSighting = z.object({
  message: z.string(),
  signature: z.string(),
  file: z.string().optional(),
  line: z.number().int().positive().optional(),
});
export type ErrorSighting = z.infer<typeof ErrorSighting>;

/** A problem outside the repository that more turns cannot fix (E-7). */
export const ExternalBlocker = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('missing_dependency'),
    name: z.string(),
    version: z.string().optional(),
    required_by: z.string().optional(),
    /** Why it could not start, for a program that is there but does not work. */
    problem: z.string().optional(),
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
    /** A time-out or reset. It is a blocker only when it happens twice in a row without a success between. */
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

/** The result of the repository's own checks, run by Autobuild. Nothing else can prove a task complete. */
export const Verification = z.object({
  at: z.iso.datetime(),
  ok: z.boolean(),
  checks: z.array(CheckResult),
  /** Totals over all checks that print test counts. Absent if none does. */
  tests: TestCounts.optional(),
});
export type Verification = z.infer<typeof Verification>;

/**
 * The same checks once more, for work that changes files which the checks depend on: those files had the base's versions. It
 * informs people. It decides nothing, and counts as no verification (E-2).
 */
export const BaseVerification = z.object({
  verification: Verification,
  /** The first of those files. */
  paths: z.array(z.string()).max(20),
  /** The number of all of them. */
  files: z.number().int().nonnegative(),
});
export type BaseVerification = z.infer<typeof BaseVerification>;

/** Passed and total tests, or passed and total checks if no check counts tests. */
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

/** How a fresh job ended that reported no result. */
export const LostVerification = z.object({ reason: z.string(), log_url: z.string().optional() });
export type LostVerification = z.infer<typeof LostVerification>;
