import * as z from 'zod';

/** What a person has to agree to before it is committed. */
export const WorkProblem = z.object({
  path: z.string(),
  why: z.enum(['protected', 'workflow', 'out_of_scope', 'file_limit']),
  /** Of a file that is approved as it stands. Missing in inputs of older versions. */
  digest: z.string().optional(),
});
export type WorkProblem = z.infer<typeof WorkProblem>;

/** What the desk found in the work that a job claims to be complete: read from the files, never from what the job says of them. */
export const WorkFacts = z.object({
  /** Of the changeset as it was stored. */
  digest: z.string(),
  /** Files that are changed; approved ones do not count. */
  files: z.number().int().nonnegative(),
  problems: z.array(WorkProblem),
  /** Files that hold a value given in secret. */
  secrets: z.array(z.object({ path: z.string(), key: z.string() })),
});
export type WorkFacts = z.infer<typeof WorkFacts>;
