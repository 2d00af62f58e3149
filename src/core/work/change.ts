import * as z from 'zod';

export const ChangeStatus = z.enum(['added', 'modified', 'deleted']);

/** One file that differs from the base that the agent started from. */
export const Change = z.object({
  path: z.string(),
  status: ChangeStatus,
  /** Number of lines; 0 for a binary file. */
  added: z.number().int().nonnegative(),
  removed: z.number().int().nonnegative(),
  binary: z.boolean(),
  /** Git's mode of the file now: `100644`, `100755`, `120000` for a symlink, `000000` if deleted. */
  mode: z.string(),
  /** The size in bytes now; 0 if deleted. */
  size: z.number().int().nonnegative(),
});
export type Change = z.infer<typeof Change>;

const revertedPath = z.object({
  path: z.string(),
  /** An agent with a gate wrote the file without asking, so it is restored only after an approval, even within the limits. */
  gate_bypassed: z.boolean().optional(),
  /** Digest of the content that was set aside. Missing for what is no plain file, and in checkpoints of older versions. */
  digest: z.string().optional(),
  /** The git object id of the content that the path was reverted to; null if it was removed. Absent: the content in the base. */
  instead: z.string().nullable().optional(),
});
const stored = revertedPath.extend({ stored: z.string() });

/** The content of a path before it was reverted, kept so that an approval can restore it. */
export const SetAside = z.discriminatedUnion('kind', [
  stored.extend({ kind: z.literal('file'), mode: z.number().int() }),
  stored.extend({ kind: z.literal('directory') }),
  revertedPath.extend({ kind: z.literal('link'), target: z.string() }),
  /** There is no content to keep: the agent had deleted the file, or put a pipe, a socket or a device in its place. */
  revertedPath.extend({ kind: z.literal('deleted') }),
  /** Left unchanged in the worktree, because it cannot be reverted safely. */
  revertedPath.extend({ kind: z.literal('refused'), problem: z.string() }),
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
