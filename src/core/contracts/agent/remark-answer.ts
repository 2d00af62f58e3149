import * as z from 'zod';

/** The agent's answer to a remark of a reviewer (V-3). */
export const RemarkAnswer = z.object({
  /** As the prompt names the remark: `R1`. */
  id: z.string().max(20),
  result: z.enum(['fixed', 'declined', 'question']),
  note: z.string().max(2_000).default(''),
});
export type RemarkAnswer = z.infer<typeof RemarkAnswer>;
