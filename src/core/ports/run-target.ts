import * as z from 'zod';
import { COMMAND_NAMES } from '../contracts/command.ts';
import { MENTION_NAME } from '../contracts/comment-context.ts';
import { ROLES } from '../contracts/role.ts';

/** The repository, issue and commit that a run belongs to, and its settings there. Written once, when the run is created. */
export const RunTarget = z.object({
  installation_id: z.number().int(),
  owner: z.string(),
  repo: z.string(),
  repo_id: z.number().int(),
  issue: z.number().int(),
  default_branch: z.string(),
  /** The commit the run builds on. */
  head_sha: z.string(),
  private: z.boolean(),
  workflow: z.string(),
  /** Whether the run's commits trigger the repository's own CI. */
  ci: z.enum(['skip', 'always']),
  labelled_by: z.string(),
  /** The minimum role for a command; `write` if none is named. */
  roles: z.partialRecord(z.enum(COMMAND_NAMES), z.enum(ROLES)).optional(),
  /** Paths whose changes need `/approve`, in addition to `.github/**`. */
  protected_paths: z.array(z.string()).optional(),
  /** How many runs of the repository may use a machine at once. This and the next one are missing in runs of older versions. */
  parallel: z.number().int().positive().optional(),
  /** The most that the repository's agents may cost in a month, in dollars. Absent: no limit. */
  monthly_dollars: z.number().positive().optional(),
  /** Rounds of changes to a ready pull request. Missing in runs of older versions. */
  revisions: z
    .object({
      max: z.number().int().positive(),
      on_changes_requested: z.enum(['start', 'ask', 'off']),
      /** Missing in runs of older versions. */
      on_ci_failure: z.enum(['ask', 'start', 'off']).optional(),
      request_review: z.enum(['on', 'off']),
    })
    .optional(),
  /** Users whom a question mentions (if none, the one who set the label), and whether the operator's webhook is called. */
  notify: z
    .object({
      mention: z.array(z.string().regex(MENTION_NAME)),
      webhook: z.enum(['on', 'off']),
      /** Users who are mentioned as well once this many reminders were not answered. */
      escalate_to: z.array(z.string().regex(MENTION_NAME)).optional(),
      escalate_after: z.number().int().positive().optional(),
    })
    .optional(),
});
export type RunTarget = z.infer<typeof RunTarget>;

/** The lane of an issue: everything that is written there goes through it. */
export function laneKey(repoId: number, issue: number): string {
  return `${repoId}#${issue}`;
}
