import * as z from 'zod';

/** The longest line that either side of the gate reads. */
export const MAX_GATE_LINE = 1024 * 1024;

/** The edit that the tool is about to make, so that a person can be shown it: a whole file, replacements in it, or a patch. */
const GateEdit = z.object({
  content: z.string().optional(),
  replace: z
    .array(z.object({ old: z.string(), new: z.string(), all: z.boolean().optional() }))
    .max(1000)
    .optional(),
  patch: z.string().optional(),
});
export type GateEdit = z.infer<typeof GateEdit>;

/** "May I write this?", asked by an agent's hook before the edit happens. */
export const GateAsk = z
  .object({
    path: z.string().min(1).optional(),
    paths: z.array(z.string().min(1)).max(1000).optional(),
    tool: z.string().optional(),
    diff: z.string().optional(),
    /** Absent: the agent's hook does not tell. */
    edit: GateEdit.optional(),
  })
  .refine((ask) => ask.path !== undefined || (ask.paths !== undefined && ask.paths.length > 0), {
    message: 'an ask names `path` or at least one of `paths`',
  });
export type GateAsk = z.infer<typeof GateAsk>;

export const GateAnswer = z.object({ decision: z.enum(['allow', 'deny']), reason: z.string() });
export type GateAnswer = z.infer<typeof GateAnswer>;

export function pathsOfAsk(ask: GateAsk): string[] {
  return [...new Set([...(ask.path === undefined ? [] : [ask.path]), ...(ask.paths ?? [])])];
}
