import type { RunState } from '../../core/contracts/run-state.ts';
import type { CommitFile, GitHub } from '../../core/ports/github-port.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { AppDependencies } from '../dependencies.ts';
import { handleInput } from '../handle-input.ts';
import { publishedBranch } from '../published-branch.ts';
import { roundToPublish } from './last-result.ts';
import { alsoFreeOfSecrets, isFreeOfSecrets } from './searched-work.ts';

interface Context {
  deps: AppDependencies;
  github: GitHub;
  state: RunState;
  target: RunTarget;
}

/**
 * V-5: true if the branch moved while the round worked, and the round continues on the new head. Its work is the same there, if
 * none of its files has changed. Nothing is published then, because the new whole was not verified. An update does not follow,
 * because what it merged was the old head.
 */
export async function followHead(context: Context, files: readonly CommitFile[]): Promise<boolean> {
  const { deps, github, state, target } = context;
  const round = roundToPublish(state);
  if (round?.head === undefined || round.update || state.publishing?.moved || files.length === 0)
    return false;
  const branch = publishedBranch(deps, state.run, target);
  const head = await github.branchHead(await branch.name());
  if (head === undefined || head === round.head || (await hasCommitOf(context, round.number, head)))
    return false;
  const changed = await github.changedFiles(round.head, head);
  const own = new Set(files.map(({ path }) => path));
  if (!changed || changed.some((path) => own.has(path))) return false;
  const handled = await handleInput(deps, state.run, {
    type: 'head_moved',
    at: deps.now().toISOString(),
    round: round.number,
    head,
    verified: changed.length === 0 ? true : undefined,
    changeset: await moveWork({ deps, state }, head),
  });
  return handled !== undefined && handled.events.length > 0;
}

/** Whether the commit is the round's own, whose response was lost. */
export async function isCommitOf(
  { deps, github, state, target }: Context,
  round: number,
  sha: string,
): Promise<boolean> {
  if (!(await publishedBranch(deps, state.run, target).isOursOnTop(sha))) return false;
  return (await github.commitMessage(sha))?.includes(`run ${state.run}. Round ${round},`) === true;
}

/**
 * whether the round's own commit is this head or below it. The response may have been lost, and people may have pushed on
 * top of it since.
 */
export async function hasCommitOf(context: Context, round: number, head: string): Promise<boolean> {
  if (await isCommitOf(context, round, head)) return true;
  const { deps, github, state, target } = context;
  const made = await publishedBranch(deps, state.run, target).newest();
  for (const sha of made)
    if ((await isCommitOf(context, round, sha)) && (await github.hasCommit(head, sha))) return true;
  return false;
}

const BASE = /("base_sha"\s*:\s*)"[^"]*"/;

/** Puts the stored work on another commit. Nothing else of it changes, so that the same can be undone byte by byte. */
export async function moveWork(
  { deps, state }: Pick<Context, 'deps' | 'state'>,
  head: string,
): Promise<string> {
  const { blobs, publications } = deps.store;
  const text = new TextDecoder().decode(await blobs.get(state.run, 'changeset'));
  const moved = text.replace(BASE, `$1"${head}"`);
  // Its files were searched for the values that people gave, which may be deleted by now.
  if (isFreeOfSecrets(await publications.of(state.run), deps.hash(text)))
    await publications.change(state.run, alsoFreeOfSecrets(deps.hash(text), deps.hash(moved)));
  if (moved !== text) await blobs.put(state.run, 'changeset', new TextEncoder().encode(moved));
  return deps.hash(moved);
}
