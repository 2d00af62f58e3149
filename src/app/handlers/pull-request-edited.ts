import { hasRole } from '../../core/contracts/role.ts';
import { type GitHub, GitHubError } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { describePullRequest } from '../effects/describe-pull-request.ts';
import type { EffectContext } from '../effects/effect-context.ts';
import { showCheck } from '../effects/show-check.ts';
import { postReply } from '../post-reply.ts';
import { publishedBranch } from '../published-branch.ts';
import { newTicks } from '../ticked-boxes.ts';
import { refuseOnce } from './handle-command.ts';

interface DescriptionEdited {
  repo_id: number;
  number: number;
  before: string;
  body: string;
  /** Undefined if the box is ticked but GitHub does not say by whom. */
  login: string | undefined;
}

const CI_BOX = /^ci\.([0-9a-f]{40})$/;

/**
 * A tick of *Run CI* in our description lets the repository's CI run on the commit the person saw. Any other edit does nothing.
 */
export async function onPullRequestEdited(
  deps: AppDependencies,
  github: GitHub,
  edited: DescriptionEdited,
): Promise<void> {
  const { number, login } = edited;
  const seenHead = newTicks(edited.before, edited.body)
    .map((id) => CI_BOX.exec(id)?.[1])
    .find((sha) => sha !== undefined);
  const run = await deps.store.marks.get(`run-of-pull:${edited.repo_id}:${number}`);
  if (!seenHead || !run) return;
  const { state } = await deps.store.runs.load(run);
  const target = await deps.store.runs.target(run);
  if (!state || target?.ci !== 'skip') return;
  const context: EffectContext = { deps, github, state, target, op: `${run}.ci` };
  const to = { run, issue: number, seen: `run-ci:${number}:${seenHead}:${login}` };
  if (login === undefined) {
    const title = 'CI was not started: the box was ticked, but GitHub does not tell by whom.';
    await postReply(deps, github, to, { tone: 'refused', title, detail: 'Tick it again.' });
  } else if (!hasRole(await github.permission(login), 'write')) {
    await refuseOnce(deps, github, { ...to, login }, { name: 'continue', needed: 'write' });
  } else if (!(await startCi(context, seenHead, login))) {
    await postReply(deps, github, to, {
      tone: 'refused',
      title: 'CI was not started: the branch has moved since the box was shown.',
      detail: 'Look at what is there now, then tick the box again.',
    });
  }
  await showBranch(context, number);
}

/** False if the branch is no longer at the commit the person saw. Idempotent: a retry finds the commit it made. */
async function startCi(context: EffectContext, seenHead: string, login: string): Promise<boolean> {
  const { deps, github, state, target } = context;
  const branch = publishedBranch(deps, state.run, target);
  if ((await branch.ciRequest())?.of === seenHead) return true;
  if ((await github.branchHead(await branch.name())) === undefined) return false;
  try {
    // A commit with the same tree, whose message does not skip CI.
    const { sha } = await github.commit({
      branch: await branch.name(),
      parent: seenHead,
      message: `Run CI, asked by @${login}`,
      files: [],
      force: false,
      // stored as ours before the branch points to it.
      onCreated: branch.addOurs,
    });
    await branch.addOurs(sha);
    await branch.setCiRequest({ of: seenHead, sha, by: login, at: deps.now().toISOString() });
    deps.log.info({ run: state.run, by: login, sha }, 'CI was let run');
    return true;
  } catch (error) {
    if (!(error instanceof GitHubError) || !MOVED.includes(error.status)) throw error;
    // If the branch has not moved, it is protected against the App. A retry shows whether it still is.
    if ((await github.branchHead(await branch.name())) === seenHead) throw error;
    return false;
  }
}

/** The commit does not exist any more, or the branch cannot be fast-forwarded to the new one. */
const MOVED = [404, 409, 422];

/** Rewrites the description from the branch's current state. */
async function showBranch(context: EffectContext, number: number): Promise<void> {
  const { deps, github, state, target } = context;
  const branch = publishedBranch(deps, state.run, target);
  const pull = await github.pullRequest(number);
  const head = await github.branchHead(await branch.name());
  if (!pull || head === undefined) return;
  await branch.setHead(head);
  await describePullRequest(context, pull, head);
  await showCheck(context);
}
