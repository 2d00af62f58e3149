import * as z from 'zod';
import { WriteReason } from './guard.ts';

/** A file that needs a person's approval before it is committed. */
export const WorkProblem = z.object({
  path: z.string(),
  why: z.enum(['protected', 'workflow', 'out_of_scope', 'file_limit']),
  /** Digest of a file that is approved with its present content. Missing in inputs of older versions. */
  digest: z.string().optional(),
  /** Every reason. `why` stands for one of them. Missing in inputs of older versions. */
  reasons: z.array(WriteReason).optional(),
  /** The patterns that make the path sensitive. A typed pattern has to name them. */
  guarded_by: z.array(z.string()).optional(),
});
export type WorkProblem = z.infer<typeof WorkProblem>;

/** The desk's findings about work that a job claims to be complete, read from the files and never from the job's own words. */
export const WorkFacts = z.object({
  /** Digest of the stored changeset. Missing if the job handed in none that can be read. */
  digest: z.string().optional(),
  /** The number of changed files, without approved ones. */
  files: z.number().int().nonnegative(),
  /** The number of all changed files. Missing in inputs of older versions. */
  changed: z.number().int().nonnegative().optional(),
  /** The paths of all changed files, at most 2,000. Missing in inputs of older versions. */
  paths: z.array(z.string()).max(2_000).optional(),
  /** In a round: the remarks whose suggestion is in the work. */
  applied: z.array(z.string()).optional(),
  /** In an update: files in which a conflict is left. */
  unresolved: z.array(z.string()).optional(),
  problems: z.array(WorkProblem),
  /** Files that contain a value that was given as a secret. */
  secrets: z.array(z.object({ path: z.string(), key: z.string() })),
});
export type WorkFacts = z.infer<typeof WorkFacts>;
