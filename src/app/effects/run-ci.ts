import { ciBoxId } from '../../comments/github/sections/branch-standing.ts';
import { GitHubError } from '../../core/ports/github-port.ts';
import { write } from '../handle-input.ts';
import { describeKept, findMarked } from '../publish/marked-commits.ts';
import { publishedBranch } from '../published-branch.ts';
import type { EffectContext } from './effect-context.ts';

/** Lets the repository's CI run on the commit a person saw, and shows it in the description. */
export async function runCi(
  context: EffectContext,
  { head, pull, by }: { head: string; pull: number; by?: string },
): Promise<void> {
  const { deps, state } = context;
  if (by !== undefined && state.revision) {
    // The round builds on this head, so that a commit in between would keep its work off the branch.
    const title = `CI was not started: round ${state.revision.number} is running.`;
    const reply = { tone: 'refused' as const, title, detail: 'Tick the box again when it has ended.' };
    await write(deps, state.run, [{ type: 'reply', reply, on: pull }], [`ci-in-round:${pull}:${head}:${by}`]);
  } else if (by !== undefined && !(await startCi(context, { head, pull, by }))) {
    const reply = {
      tone: 'refused' as const,
      title: 'CI was not started: the branch has new commits since the box was shown.',
      detail: 'Review the new commits, then tick the box again.',
    };
    await write(deps, state.run, [{ type: 'reply', reply, on: pull }], [`ci-moved:${pull}:${head}:${by}`]);
  }
  await showBranch(context, head);
}

type AddOurs = (sha: string) => Promise<void>;

/** The head that a person saw on a pull request, and their login. */
interface Tick {
  head: string;
  pull: number;
  by: string;
}

/** False if the branch is no longer at the commit the person saw. Idempotent: a retry finds the commits it made. */
async function startCi(context: EffectContext, tick: Tick): Promise<boolean> {
  const { deps, github, state, target } = context;
  const { head: seenHead, by } = tick;
  const branch = publishedBranch(deps, state.run, target);
  if ((await branch.ciRequest())?.of === seenHead) return true;
  if ((await github.branchHead(await branch.name())) === undefined) return false;
  // V-5: the new commits take the places of ours or are put on them, so they have the same commits of people below them.
  const addOurs = (await branch.isOurs(seenHead)) ? branch.addOurs : branch.addOursOnTop;
  try {
    const sha = await changeBranch(context, tick, addOurs);
    await addOurs(sha);
    await branch.setCiRequest({ of: seenHead, sha, by, at: deps.now().toISOString() });
    deps.log.info({ run: state.run, by, sha }, 'CI was started');
    return true;
  } catch (error) {
    if (!(error instanceof GitHubError) || !MOVED.includes(error.status)) throw error;
    // If the branch has not moved, it is protected against the App.
    if ((await github.branchHead(await branch.name())) === seenHead) throw error;
    return false;
  }
}

/**
 * Makes our commits again without the instruction to skip CI, so that a squash does not take it to the default branch. If the head
 * is somebody else's or has no such instruction, or GitHub refuses to move the branch by force, a commit is added instead. People
 * are told of the instructions that stay. Returns the new head.
 */
async function changeBranch(
  context: EffectContext,
  { head, pull, by }: Tick,
  addOurs: AddOurs,
): Promise<string> {
  const { deps, github, state, target } = context;
  const base = (await github.pullRequest(pull))?.base ?? target.default_branch;
  const { own, rest, all } = await findMarked(context, { base, head });
  const reworded = own.length > 0 ? await rewordOurs(context, own, addOurs) : undefined;
  const sha = reworded ?? (await addCommit(context, head, by, addOurs));
  const kept = reworded === undefined ? all : rest;
  if (kept.length > 0) {
    const reply = describeKept(kept, { isRefused: own.length > 0 && reworded === undefined, branch: base });
    const seen = `ci-kept:${pull}:${deps.hash(kept.join())}`;
    await write(deps, state.run, [{ type: 'reply', reply, on: pull }], [seen]);
  }
  return sha;
}

/** Undefined if GitHub does not let the branch be moved by force, but a commit can be put on it. */
async function rewordOurs(
  context: EffectContext,
  commits: readonly { sha: string; message: string }[],
  addOurs: AddOurs,
): Promise<string | undefined> {
  const { deps, github, state, target } = context;
  const branch = publishedBranch(deps, state.run, target);
  const name = await branch.name();
  try {
    // stored as ours before the branch points to it.
    const { shas } = await github.reword({ branch: name, commits, onCreated: addOurs });
    for (const sha of shas) await addOurs(sha);
    const places = commits.flatMap(({ sha }, index) => (shas[index] ? [[sha, shas[index]] as const] : []));
    await branch.setReworded(Object.fromEntries(places));
    return shas.at(-1);
  } catch (error) {
    const head = commits.at(-1)?.sha ?? '';
    if (!(error instanceof GitHubError) || !isRefusedMove(error) || !(await isOn(context, head))) throw error;
    deps.log.warn({ run: state.run, error: error.message }, 'the branch could not be moved by force');
    return undefined;
  }
}

/** A 409 says that the branch has moved: a commit may have been added by an earlier try whose response was lost. */
function isRefusedMove({ status, retryAfter }: GitHubError): boolean {
  return retryAfter === undefined && [403, 409, 422].includes(status);
}

/** Whether the branch is at the commit or above it. Adding a commit would else undo that somebody has set the branch back. */
async function isOn({ deps, github, state, target }: EffectContext, sha: string): Promise<boolean> {
  const head = await github.branchHead(await publishedBranch(deps, state.run, target).name());
  return head !== undefined && (await github.hasCommit(head, sha));
}

/** Adds a commit with the same tree, whose message does not skip CI. */
async function addCommit(
  { deps, github, state, target }: EffectContext,
  parent: string,
  login: string,
  addOurs: AddOurs,
): Promise<string> {
  const branch = publishedBranch(deps, state.run, target);
  const { sha } = await github.commit({
    branch: await branch.name(),
    parent,
    message: `Run CI, asked by @${login}`,
    files: [],
    force: false,
    onCreated: addOurs,
  });
  return sha;
}

/** The commit does not exist any more, or the branch cannot be fast-forwarded to the new one. */
const MOVED = [404, 409, 422];

/** Description and check are words about the work: if GitHub refuses them, the branch is as it should be all the same. */
async function showBranch(context: EffectContext, seenHead: string): Promise<void> {
  const { deps, github, state, target, op } = context;
  const branch = publishedBranch(deps, state.run, target);
  const head = await github.branchHead(await branch.name());
  if (head === undefined) return;
  await branch.setHead(head);
  const effects = [
    { type: 'describe_pull' as const, ticked: [ciBoxId(seenHead)] },
    { type: 'update_status' as const },
  ];
  await write(deps, state.run, effects, [`ci-shown:${op}`]);
}
