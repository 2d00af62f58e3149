import * as z from 'zod';

/** What an agent that takes a run over is told of the one before it (E-14). */
export const Predecessor = z.object({
  agent: z.string(),
  turns: z.number().int().nonnegative(),
  /** In its own words: its newest turns. Oldest first. */
  reported: z.array(z.string()),
  tried: z.string().optional(),
  question: z.string().optional(),
  answer: z.string().optional(),
});
export type Predecessor = z.infer<typeof Predecessor>;
