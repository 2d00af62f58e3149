import * as z from 'zod';

/** What a job needs to know of the repository's config, fixed when the run began. */
export const JobSettings = z.object({
  /** Command lines of agents that the config names itself. */
  agents: z.record(z.string(), z.array(z.string())),
  junit: z.array(z.string()),
  state_dir: z.string(),
  hold_ms: z.number().nonnegative(),
  turn_ms: z.number().positive(),
  check_ms: z.number().positive(),
});
export type JobSettings = z.infer<typeof JobSettings>;
