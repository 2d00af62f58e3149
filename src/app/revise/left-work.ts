import type { RunState } from '../../core/contracts/run-state.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import { inputsByAnswer } from '../../core/secrets/secrets-of-run.ts';
import { Changeset } from '../../core/work/changeset.ts';
import { roundHead } from '../../core/work/round-head.ts';
import type { AppDependencies } from '../dependencies.ts';
import { publishedBranch } from '../published-branch.ts';
import { roundToPublish } from './last-result.ts';

interface Context {
  deps: AppDependencies;
  github: GitHub;
  state: RunState;
  target: RunTarget;
}

interface LeftWork {
  changeset: Changeset;
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
  const { unpublished, free_of_secrets } = await deps.store.publications.of(state.run);
  const round = roundToPublish(state);
  // Without its merge, an update is no change of this branch. A round without a result leaves nothing.
  if (!unpublished || round?.update || (state.revisions?.length && !round)) return undefined;
  const bytes = await deps.store.blobs.get(state.run, 'changeset');
  const text = new TextDecoder().decode(bytes);
  const changeset = bytes && Changeset.parse(JSON.parse(text));
  if (!changeset || changeset.files.length === 0) return undefined;
  const { base_sha: from, files } = changeset;
  if (from !== roundHead(state, target) && from !== head) return undefined;
  const isSearched = free_of_secrets === deps.hash(text);
  const without = (paths: string[], why: string): LeftWork => ({
    changeset: { ...changeset, base_sha: head, files: files.filter(({ path }) => !paths.includes(path)) },
    isSearched,
    dropped: { paths, why },
  });
  const all = files.map(({ path }) => path);
  if (!isSearched && wasGivenValues(state))
    return without(all, 'they can no longer be searched for the values you provided');
  // The build's own commits have an earlier state of the same work.
  const isBuild = !round && (await publishedBranch(deps, state.run, target).isOurs(head));
  const changed = from === head || isBuild ? [] : await github.changedFiles(from, head);
  const theirs = new Set(changed ?? all);
  return without(
    all.filter((path) => theirs.has(path)),
    'they have changed on the branch since',
  );
}

/** Stores it as the work that the next round begins with. */
export async function keepLeftWork(
  { deps, state }: Context,
  { changeset, isSearched }: LeftWork,
): Promise<void> {
  const text = JSON.stringify(changeset);
  if (isSearched) await deps.store.publications.change(state.run, { free_of_secrets: deps.hash(text) });
  await deps.store.blobs.put(state.run, 'changeset', new TextEncoder().encode(text));
}

/** Values that people gave are deleted when the run comes to rest, so nothing finds them any more. */
function wasGivenValues(state: RunState): boolean {
  return inputsByAnswer(state).some((inputs) =>
    Object.values(inputs).some(({ actions_secret }) => !actions_secret),
  );
}
