import * as z from 'zod';

/** One file that differs from what the agent was given. */
export const Change = z.object({
  path: z.string(),
  status: z.enum(['added', 'modified', 'deleted']),
  /** Lines. Both 0 for a binary file. */
  added: z.number().int().nonnegative(),
  removed: z.number().int().nonnegative(),
  binary: z.boolean(),
  /** Git's, as it is now: `100644`, `100755`, `120000` for a link; `000000` when deleted. */
  mode: z.string(),
  /** Bytes as it is now; 0 when deleted. */
  size: z.number().int().nonnegative(),
});
export type Change = z.infer<typeof Change>;

const place = z.object({
  path: z.string(),
  /** An agent with a gate wrote it without asking: within the limits or not, it takes an approval to come back. */
  gate_bypassed: z.boolean().optional(),
  /** The content it was given instead, by git's name for it; null: none. Absent: what the base has. */
  instead: z.string().nullable().optional(),
});
const stored = place.extend({ stored: z.string() });

/** What stood at a path before it was put back, kept so that an approval can bring it in again. */
export const SetAside = z.discriminatedUnion('kind', [
  stored.extend({ kind: z.literal('file'), mode: z.number().int() }),
  stored.extend({ kind: z.literal('directory') }),
  place.extend({ kind: z.literal('link'), target: z.string() }),
  /** There was nothing: the agent had deleted it. */
  place.extend({ kind: z.literal('deleted') }),
  /** Left exactly as it was, because it cannot be put back safely. */
  place.extend({ kind: z.literal('refused'), problem: z.string() }),
]);
export type SetAside = z.infer<typeof SetAside>;

export function totals(changes: readonly Change[]): { files: number; added: number; removed: number } {
  return changes.reduce(
    (sum, change) => ({
      files: sum.files + 1,
      added: sum.added + change.added,
      removed: sum.removed + change.removed,
    }),
    { files: 0, added: 0, removed: 0 },
  );
}
