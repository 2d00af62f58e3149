import * as z from 'zod';

/** A file on one side. Only plain files can be merged here. */
const MergedContent = z.object({
  mode: z.enum(['100644', '100755']),
  /** In base64. */
  content: z.string(),
});

/**
 * V-6: all that a job needs to merge the base into the head of a pull request, on a checkout of the base. The desk reads it from
 * GitHub, so that a job needs no credentials for it.
 */
export const BaseMerge = z.object({
  /** Paths that the base has and the common ancestor has not. */
  added: z.array(z.string()),
  /** The files that the pull request changes. */
  files: z.array(
    z.object({
      path: z.string(),
      /** In the head. Null: deleted there. */
      head: MergedContent.nullable(),
      /** In the common ancestor, if the base has changed the file since. Absent: the base has it unchanged. */
      before: MergedContent.nullable().optional(),
      /** The commits that changed the file on either side, one line each, in the words of their authors. */
      commits: z.object({ head: z.array(z.string()), base: z.array(z.string()) }).optional(),
    }),
  ),
  /** A job has merged it, and the files of the changeset are the result. */
  done: z.literal(true).optional(),
});
export type BaseMerge = z.infer<typeof BaseMerge>;

/** The names of the two sides in the conflict markers that git leaves. */
export const SIDES = { head: 'pull-request', base: 'base-branch' } as const;
