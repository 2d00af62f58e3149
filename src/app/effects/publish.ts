import { plainTitle } from '../../comments/text/plain-title.ts';
import type { Unpublished } from '../../core/contracts/comment-context.ts';
import { isFinished } from '../../core/contracts/run-state.ts';
import { isStillWanted } from '../../core/decide/is-still-wanted.ts';
import { GitHubError, type PullRequest } from '../../core/ports/github-port.ts';
import type { Changeset } from '../../core/work/changeset.ts';
import { postReply } from '../post-reply.ts';
import { publishedBranch } from '../published-branch.ts';
import { redactFor } from '../redact.ts';
import { NOT_YET, rememberUnpublished, whyUnpublished } from '../unpublished.ts';
import { describePullRequest, isTicked, renderDescription } from './describe-pull-request.ts';
import type { Doing } from './effect-context.ts';
import { isHeldBack } from './is-held-back.ts';
import { showCheck } from './show-check.ts';
import { showReceipt } from './show-receipt.ts';
import { updateStatus } from './update-status.ts';
import { findWork, type Work } from './work-to-publish.ts';

/** Brings the newest changeset to the branch and the pull request. What may not be committed is said, never left out silently. */
export async function publishWork(doing: Doing, ready: boolean): Promise<void> {
  try {
    await publishUnlessStopped(doing, ready);
  } catch (error) {
    if (!(error instanceof NoLongerWanted)) throw error;
  }
}

/** The run was cancelled between two calls of a publish. */
class NoLongerWanted extends Error {}

/** R-9: asked before each call that people would see, because uploading the work takes a while. */
async function demandStillWanted({ parts, state }: Doing): Promise<void> {
  const newest = (await parts.store.runs.load(state.run)).state;
  if (newest && !isStillWanted({ type: 'publish' }, newest)) throw new NoLongerWanted();
}

async function publishUnlessStopped(doing: Doing, ready: boolean): Promise<void> {
  if (await isHeldBack(doing)) return;
  const { parts, state } = doing;
  const before = ready ? await whyUnpublished(parts, state.run) : undefined;
  if (ready && !before) await rememberUnpublished(parts, state.run, NOT_YET);
  const why = await bringToPullRequest(doing, ready);
  if (ready) await rememberUnpublished(parts, state.run, why);
  if (why) return;
  // Once the work is known to be there, which the check tells as well.
  await showCheck(doing);
  if (before && isFinished(state)) await correct(doing);
}

/** What was said of the end while the work was not there. */
async function correct(doing: Doing): Promise<void> {
  const { parts, state } = doing;
  await updateStatus(doing);
  if (await parts.store.comments.find(state.run, `${state.run}.receipt`)) await showReceipt(doing);
}

/** Undefined: it is there. Else why it is not. */
async function bringToPullRequest(doing: Doing, ready: boolean): Promise<Unpublished | undefined> {
  const { parts, github, state, place } = doing;
  const work = await findWork(doing);
  if (!work) return NOTHING_CHANGED;
  if ('refused' in work) {
    const { why, title, detail } = work.refused;
    const seen = `publish:${parts.hash(`${title}${detail}`)}`;
    await postReply(parts, github, { run: state.run, seen }, { tone: 'refused', title, detail });
    return { why, detail };
  }
  await publishedBranch(parts, state.run, place).setLeftOut(work.leftOut);
  if (work.files.length === 0) return sayNothingLeft(doing, work.leftOut);
  await commitWork(doing, work);
  await writePullRequest(doing, ready);
  return undefined;
}

const NOTHING_CHANGED: Unpublished = {
  why: 'no file was changed',
  detail: 'Label the issue again to build it once more.',
};

/** R-2: a commit is known as ours before the branch leads to it, so that a lost answer never makes it somebody else's. */
async function commitWork(doing: Doing, { files, workflows, leftOut, digest }: Work): Promise<void> {
  const { parts, github, state, place } = doing;
  const mark = `published:${state.run}`;
  // With more approved, the same changeset makes another commit.
  const content = `${digest}:${leftOut.length}`;
  const branch = publishedBranch(parts, state.run, place);
  const done = (await parts.store.marks.get(mark)) === content;
  // Whoever closes a pull request may have the branch deleted with it.
  if (done && (await github.branchHead(await branch.name())) !== undefined) return;
  const { sha } = await github
    .commit({
      branch: await chooseBranch(doing),
      parent: place.head_sha,
      message: commitMessage(doing, await titleOf(doing)),
      files,
      force: true,
      async onCreated(sha) {
        await branch.addOurs(sha);
        await demandStillWanted(doing);
      },
    })
    .catch((error: unknown) => {
      throw workflows.length > 0 ? namePermission(error) : error;
    });
  await branch.addOurs(sha);
  await branch.setHead(sha);
  await parts.store.marks.set(mark, content);
}

const UNNAMED = /resource not accessible|not found/i;

/** GitHub hides what an App may not see: of workflow files it says that they are not there, or that both permissions are wanted. */
function namePermission(error: unknown): unknown {
  if (!(error instanceof GitHubError) || error.retryAfter !== undefined || error.unreachable) return error;
  const { status, message, missingPermission } = error;
  if ((status !== 403 && status !== 404) || !UNNAMED.test(message)) return error;
  if (missingPermission !== undefined && !missingPermission.includes('workflows')) return error;
  return new GitHubError(
    message,
    { status: 403, missingPermission: 'workflows=write' },
    { cause: error.cause },
  );
}

/** The branch is moved, so what others have put on it would be lost: then the run takes one of its own. */
async function chooseBranch({ parts, github, state, place }: Doing): Promise<string> {
  const branch = publishedBranch(parts, state.run, place);
  const name = await branch.name();
  const head = await github.branchHead(name);
  if (head === undefined || (await branch.isOurs(head))) return name;
  const own = await branch.moveToOwn();
  await postReply(
    parts,
    github,
    { run: state.run, seen: `others-on-branch:${head}` },
    {
      tone: 'info',
      title: `The work goes to \`${own}\`: somebody else has commits on \`${name}\`.`,
      detail: 'Nothing of theirs was touched.',
    },
  );
  return own;
}

/** Whoever opened the issue wrote it. */
async function titleOf({ parts, state }: Doing): Promise<string> {
  return plainTitle(await redactFor(parts, state.run, state.task.title));
}

function commitMessage({ state, place }: Doing, title: string): string {
  // Code of an agent that nobody has looked at does not run the repository's CI with its secrets.
  const skip = place.ci === 'always' ? '' : '\n\n[skip ci]';
  return `${title}\n\nFor #${place.issue}, run ${state.run}.${skip}`;
}

/** All of the work is of a kind that no commit carries. */
async function sayNothingLeft(doing: Doing, leftOut: Changeset['left_out']): Promise<Unpublished> {
  const { parts, github, state } = doing;
  const detail = leftOut.slice(0, 10).map(({ path, problem }) => `${path}: ${problem}`);
  if (detail.length === 0) return NOTHING_CHANGED;
  const seen = `publish:${parts.hash(detail.join())}`;
  await postReply(
    parts,
    github,
    { run: state.run, seen },
    {
      tone: 'refused',
      title: `There is no pull request: none of the ${leftOut.length} changed files can be committed.`,
      detail: detail.join('\n'),
    },
  );
  return {
    why: `none of the ${leftOut.length} changed files can be committed`,
    detail: [...detail, NOTHING_CHANGED.detail].join('\n'),
  };
}

async function writePullRequest(doing: Doing, ready: boolean): Promise<void> {
  const { parts, github, state, place } = doing;
  const branch = publishedBranch(parts, state.run, place);
  const head = (await github.branchHead(await branch.name())) ?? (await branch.head());
  if (head === undefined) return;
  await branch.setHead(head);
  const present = await findPullRequest(doing);
  await demandStillWanted(doing);
  const pull = present ?? (await createPullRequest(doing, head, ready));
  await parts.store.marks.set(`pull-of:${state.run}`, String(pull.number));
  await parts.store.marks.set(`run-of-pull:${place.repo_id}:${pull.number}`, state.run);
  if (present && !isTicked(present, head)) await describePullRequest(doing, present, head);
  if (ready && pull.draft) await github.markReady(pull.node_id);
}

/** One that is closed is over: that of an earlier run, or one of this run that somebody wants to go on all the same. */
async function findPullRequest({ parts, github, state, place }: Doing): Promise<PullRequest | undefined> {
  const found = await github.pullRequestOf(await publishedBranch(parts, state.run, place).name());
  return found?.state === 'open' ? found : undefined;
}

async function createPullRequest(doing: Doing, head: string, ready: boolean): Promise<PullRequest> {
  const { parts, github, state, place } = doing;
  return github.createPullRequest({
    branch: await publishedBranch(parts, state.run, place).name(),
    base: place.default_branch,
    title: await titleOf(doing),
    body: await renderDescription(doing, head),
    draft: !ready,
  });
}
