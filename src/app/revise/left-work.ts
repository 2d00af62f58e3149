import type { RunState } from '../../core/contracts/run-state.ts';
import { type GitHub, GitHubError } from '../../core/ports/github-port.ts';
import type { Publication } from '../../core/ports/publications.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import { inputsByAnswer } from '../../core/secrets/secrets-of-run.ts';
import { Changeset } from '../../core/work/changeset.ts';
import { readLeftWork, storeLeftWork } from '../../core/work/left-work.ts';
import type { AppDependencies } from '../dependencies.ts';
import { publishedBranch } from '../published-branch.ts';
import { hasResult, roundToPublish } from './last-result.ts';
import { alsoFreeOfSecrets, isFreeOfSecrets } from './searched-work.ts';

interface Context {
  deps: AppDependencies;
  github: GitHub;
  state: RunState;
  target: RunTarget;
}

interface LeftWork {
  changeset: Changeset;
  /** Digest of the work as it is stored until now. */
  digest: string;
  /** No value that people gave is in it. */
  isSearched: boolean;
  /** Files of it that a round cannot begin with, and why. */
  dropped: { paths: string[]; why: string };
}

/**
 * Work that could not be published is nowhere else, so the next round begins with it, on the head as it is. Undefined: there is
 * none. Files that others have changed meanwhile stay as they have them.
 */
export async function findLeftWork(context: Context, head: string): Promise<LeftWork | undefined> {
  const { deps, github, state, target } = context;
  const publication = await deps.store.publications.of(state.run);
  const round = roundToPublish(state);
  // Without its merge, an update is no change of this branch.
  if (!publication.unpublished || round?.update) return undefined;
  const last = state.revisions?.at(-1);
  const isKept = last !== undefined && !hasResult(last);
  // A round without a result leaves what it began with.
  if (isKept && !last.unpublished) return undefined;
  const bytes = await deps.store.blobs.get(state.run, 'changeset');
  const digest = deps.hash(new TextDecoder().decode(bytes));
  const { changeset, isSearched } = isKept
    ? ((await readLeftWork(deps.store.blobs, state.run, deps.hash)) ?? NOTHING)
    : { changeset: parse(bytes), isSearched: isFreeOfSecrets(publication, digest) };
  if (!changeset || changeset.files.length === 0) return undefined;
  const { base_sha: from, files } = changeset;
  const without = (paths: string[], why: string): LeftWork => ({
    changeset: { ...changeset, base_sha: head, files: files.filter(({ path }) => !paths.includes(path)) },
    digest,
    isSearched,
    dropped: { paths, why },
  });
  const all = files.map(({ path }) => path);
  // Values that were given since it was kept cannot be in it.
  if (!isKept && !isLeftToRound(state, publication, digest))
    return without(all, 'they can no longer be searched for the values you provided');
  // The build's own commits have an earlier state of the same work.
  const isBuild = !last && (await publishedBranch(deps, state.run, target).isOurs(head));
  const changed = from === head || isBuild ? [] : await changedSince(github, from, head);
  if (!changed) return without(all, 'it cannot be told whether they have changed on the branch since');
  const theirs = new Set(changed);
  return without(
    all.filter((path) => theirs.has(path)),
    'they have changed on the branch since',
  );
}

const NOTHING = { changeset: undefined, isSearched: false };

function parse(bytes: Uint8Array | undefined): Changeset | undefined {
  return bytes && Changeset.parse(JSON.parse(new TextDecoder().decode(bytes)));
}

/** Whether the next round begins with this work, if it is not published: no value that people gave may be in it. */
export function isLeftToRound(state: RunState, publication: Publication, digest: string): boolean {
  return isFreeOfSecrets(publication, digest) || !wasGivenValues(state);
}

/** Undefined: the commit is gone, or the files are too many to compare. */
async function changedSince(github: GitHub, from: string, head: string): Promise<string[] | undefined> {
  try {
    return await github.changedFiles(from, head);
  } catch (error) {
    if (error instanceof GitHubError && [404, 409, 422].includes(error.status)) return undefined;
    throw error;
  }
}

/** Stores it as the work that the next round begins with. */
export async function keepLeftWork(
  { deps, state }: Context,
  { changeset, digest, isSearched }: LeftWork,
): Promise<void> {
  const { blobs, publications } = deps.store;
  const next = deps.hash(JSON.stringify(changeset));
  if (isSearched) await publications.change(state.run, alsoFreeOfSecrets(digest, next));
  await storeLeftWork(blobs, state.run, { changeset, isSearched }, deps.hash);
}

/** Values that people gave are deleted when the run comes to rest, so nothing finds them any more. */
function wasGivenValues(state: RunState): boolean {
  return inputsByAnswer(state).some((inputs) =>
    Object.values(inputs).some(({ actions_secret }) => !actions_secret),
  );
}
