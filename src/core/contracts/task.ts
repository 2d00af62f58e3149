import * as z from 'zod';

/** A snapshot of the task at the time of the request, so that later edits of its source have no effect. */
export const Task = z.object({
  /** `issue-N`, or the task file's name without its extension. Names the folder of the run's files. */
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/),
  title: z.string().min(1),
  body: z.string(),
  acceptance_criteria: z.array(z.string()),
  /** Globs or module names. Absent: no scope was declared, so any file may be changed. */
  scope: z.array(z.string()).optional(),
  source: z.string(),
  /** The parts and characters of the source that readers do not see, all removed, and the names between angles that were kept. */
  hidden: z.object({ parts: z.number(), characters: z.number(), tags: z.array(z.string()) }).optional(),
});
export type Task = z.infer<typeof Task>;
