import { type Client, isStatus } from './client/client.ts';
import { readRefOid } from './read-ref.ts';
import { branchFor, shortRef } from './ref-place.ts';

/** GitHub's name for a ref that is not there. */
const NOTHING = '0'.repeat(40);

const UPDATE = `mutation ($repository: ID!, $ref: GitRefname!, $before: GitObjectID!, $after: GitObjectID!, $force: Boolean!) {
  updateRefs(input: {
    repositoryId: $repository
    refUpdates: [{ name: $ref, beforeOid: $before, afterOid: $after, force: $force }]
  }) { clientMutationId }
}`;

interface Move {
  /** The repository's node id, if it is known. */
  repository: string | undefined;
  ref: string;
  /** Undefined: there is no ref yet. */
  before: string | undefined;
  /** Undefined: the ref is removed. */
  after: string | undefined;
  /** The new commit does not descend from the one before. */
  force?: boolean;
}

/**
 * Moves a ref if it is at `before`, by GitHub's compare-and-swap. `refused` means that nothing changed although the ref was
 * where it should be: GitHub does not do it this way here.
 */
export async function moveByUpdateRefs(
  { graphql, request }: Client,
  { repository, ref, before, after, force = false }: Move,
): Promise<'done' | 'moved' | 'refused'> {
  if (repository === undefined) return 'refused';
  const [beforeOid, afterOid] = [before ?? NOTHING, after ?? NOTHING];
  try {
    await graphql(UPDATE, { repository, ref, before: beforeOid, after: afterOid, force });
    return 'done';
  } catch (error) {
    if (isStatus(error, 401, 429) || (isStatus(error, 403) && error.retryAfter !== undefined)) throw error;
    // The words of GraphQL's errors are not documented, and the answer to a change that was made may be lost.
    const found = await readRefOid(request, ref);
    if (found === after) return 'done';
    return found === before ? 'refused' : 'moved';
  }
}

/**
 * The same by REST, where a ref moves only to a descendant. Two commits on top of the same one exclude each other by that.
 * Returns the ref that was moved: a branch, if GitHub refuses to create other refs.
 */
export async function moveByRest(
  { request }: Pick<Client, 'request'>,
  { ref, before, after }: { ref: string; before: string | undefined; after: string },
): Promise<string | undefined> {
  if (before !== undefined) {
    try {
      const to = { ref: shortRef(ref), sha: after, force: false };
      await request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', to);
      return ref;
    } catch (error) {
      if (isStatus(error, 404, 409, 422) && (await readRefOid(request, ref)) !== before) return undefined;
      throw error;
    }
  }
  try {
    await request('POST /repos/{owner}/{repo}/git/refs', { ref, sha: after });
    return ref;
  } catch (error) {
    if (!isStatus(error, 403, 404, 422) || error.retryAfter !== undefined) throw error;
    if ((await readRefOid(request, ref)) !== undefined) return undefined;
    const branch = branchFor(ref);
    if (branch === ref) throw error;
    return moveByRest({ request }, { ref: branch, before, after });
  }
}
