import * as z from 'zod';

/** One turn of the run in one line, for an agent whose conversation does not hold it. */
export const EarlierTurn = z.object({
  turn: z.number().int().nonnegative(),
  agent: z.string(),
  /** The summary in the agent's own words, or how the turn ended. */
  said: z.string(),
});
export type EarlierTurn = z.infer<typeof EarlierTurn>;
