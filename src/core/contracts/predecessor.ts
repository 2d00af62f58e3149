import * as z from 'zod';

/** Facts about the previous agent, for the agent that takes over its run (E-14). */
export const Predecessor = z.object({
  agent: z.string(),
  turns: z.number().int().nonnegative(),
  /** The titles of the agent's newest turns in its own words, oldest first. */
  reported: z.array(z.string()),
  tried: z.string().optional(),
  question: z.string().optional(),
  answer: z.string().optional(),
});
export type Predecessor = z.infer<typeof Predecessor>;
