import * as z from 'zod';

/** The player's own words for why it is stuck (B-3). */
export const BLOCKER_CATEGORIES = {
  external_dependency: 'external dependency',
  test_failure: 'failing test',
  architectural: 'structure of the code',
  unclear_requirement: 'unclear requirement',
} as const;
export type BlockerCategory = keyof typeof BLOCKER_CATEGORIES;

export const BlockerCategory = z.enum(
  Object.keys(BLOCKER_CATEGORIES) as [
    keyof typeof BLOCKER_CATEGORIES,
    ...(keyof typeof BLOCKER_CATEGORIES)[],
  ],
);

const BlockingIssue = z.object({
  issue: z.string().min(1),
  location: z.string().nullish(),
  category: BlockerCategory,
  details: z.string(),
});

const AttemptRecord = z.object({
  turn: z.number().int().positive(),
  action: z.string().min(1),
  result: z.string(),
  why_failed: z.string().nullish(),
});
type AttemptRecord = z.infer<typeof AttemptRecord>;

export const BlockedReport = z.object({
  blocking_issues: z.array(BlockingIssue),
  attempts_made: z.array(AttemptRecord),
  suggested_alternatives: z.array(z.string()),
  human_action_required: z.string().min(1),
});
export type BlockedReport = z.infer<typeof BlockedReport>;

/** Only the result "Success" gets a ✓; "Partial" does not (B-5). */
export function attemptWorked(attempt: AttemptRecord): boolean {
  return attempt.result === 'Success';
}
