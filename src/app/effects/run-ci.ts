import { ciBoxId } from '../../comments/github/sections/branch-standing.ts';
import { SKIP_CI } from '../../comments/text/skip-ci.ts';
import { GitHubError } from '../../core/ports/github-port.ts';
import { write } from '../handle-input.ts';
import { publishedBranch } from '../published-branch.ts';
import { writeDescription } from './describe-pull-request.ts';
import type { EffectContext } from './effect-context.ts';
import { showCheck } from './show-check.ts';

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
  } else if (by !== undefined && !(await startCi(context, head, by))) {
    const reply = {
      tone: 'refused' as const,
      title: 'CI was not started: the branch has new commits since the box was shown.',
      detail: 'Review the new commits, then tick the box again.',
    };
    await write(deps, state.run, [{ type: 'reply', reply, on: pull }], [`ci-moved:${pull}:${head}:${by}`]);
  }
  await showBranch(context, pull, head);
}

type AddOurs = (sha: string) => Promise<void>;

/** False if the branch is no longer at the commit the person saw. Idempotent: a retry finds the commit it made. */
async function startCi(context: EffectContext, seenHead: string, login: string): Promise<boolean> {
  const { deps, github, state, target } = context;
  const branch = publishedBranch(deps, state.run, target);
  if ((await branch.ciRequest())?.of === seenHead) return true;
  if ((await github.branchHead(await branch.name())) === undefined) return false;
  // V-5: the new commit takes the place of this one or is put on it, so it has the same commits of people below it.
  const addOurs = (await branch.isOurs(seenHead)) ? branch.addOurs : branch.addOursOnTop;
  try {
    const sha =
      (await rewordOurs(context, seenHead, addOurs)) ?? (await addCommit(context, seenHead, login, addOurs));
    await addOurs(sha);
    await branch.setCiRequest({ of: seenHead, sha, by: login, at: deps.now().toISOString() });
    deps.log.info({ run: state.run, by: login, sha }, 'CI was started');
    return true;
  } catch (error) {
    if (!(error instanceof GitHubError) || !MOVED.includes(error.status)) throw error;
    // If the branch has not moved, it is protected against the App. A retry shows whether it still is.
    if ((await github.branchHead(await branch.name())) === seenHead) throw error;
    return false;
  }
}

/**
 * Makes our commit again without the instruction to skip CI, so that no commit with it can reach the default branch. Undefined if
 * the commit is somebody else's, or has no such instruction.
 */
async function rewordOurs(
  { deps, github, state, target }: EffectContext,
  sha: string,
  addOurs: AddOurs,
): Promise<string | undefined> {
  const branch = publishedBranch(deps, state.run, target);
  if (!(await branch.isOursOnTop(sha))) return undefined;
  const message = await github.commitMessage(sha);
  if (!message?.endsWith(SKIP_CI)) return undefined;
  const reworded = await github.reword({
    branch: await branch.name(),
    sha,
    message: message.slice(0, -SKIP_CI.length).trimEnd(),
    // stored as ours before the branch points to it.
    onCreated: addOurs,
  });
  return reworded.sha;
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

/** Rewrites the description from the branch's current state. */
async function showBranch(context: EffectContext, number: number, seenHead: string): Promise<void> {
  const { deps, github, state, target } = context;
  const branch = publishedBranch(deps, state.run, target);
  const pull = await github.pullRequest(number);
  const head = await github.branchHead(await branch.name());
  if (!pull || head === undefined) return;
  await branch.setHead(head);
  await writeDescription(context, pull, head, { handled: [ciBoxId(seenHead)] });
  await showCheck(context);
}
