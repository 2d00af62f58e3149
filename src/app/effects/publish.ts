import { Changeset, checkChangeset } from '../../core/changeset.ts';
import { GitHubError, type PullRequest } from '../../core/github-port.ts';
import { postReply } from '../post-reply.ts';
import { publishedBranch } from '../published-branch.ts';
import { redactFor } from '../redact.ts';
import { describePullRequest, isTicked, renderDescription } from './describe-pull-request.ts';
import type { Doing } from './perform-effect.ts';
import { showCheck } from './show-check.ts';

/** Brings the newest changeset to the branch and the pull request. What may not be committed is said, never left out silently. */
export async function publishWork(doing: Doing, ready: boolean): Promise<void> {
  const { parts, github, state, place } = doing;
  const bytes = await parts.store.blobs.get(state.run, 'changeset');
  if (!bytes) return;
  const changeset = Changeset.parse(JSON.parse(new TextDecoder().decode(bytes)));
  const limit = state.limits.files_modified_exceeds;
  const checked = checkChangeset(changeset, {
    protectedPaths: place.protected_paths ?? [],
    approvedPaths: state.approved_paths,
    scope: state.limits.spec_deviation_detected === 'off' ? undefined : state.task.scope,
    maxFiles: typeof limit === 'number' ? limit : 'off',
  });
  if (!checked.ok) {
    const detail = checked.problems
      .map(({ path, problem, remedy }) => `${path}: ${problem}. ${remedy}`)
      .slice(0, 10);
    return postReply(
      parts,
      github,
      { run: state.run, seen: `publish:${parts.hash(detail.join())}` },
      {
        tone: 'refused',
        title: `The work was not committed: ${checked.problems.length} of its files may not be.`,
        detail: detail.join('\n'),
      },
    );
  }
  const branch = publishedBranch(parts, state.run, place);
  await branch.setLeftOut(changeset.left_out);
  if (checked.files.length === 0) return sayNothingLeft(doing, changeset.left_out);
  if (changeset.base_sha !== place.head_sha) {
    throw new GitHubError('the changeset is for another commit than the run', { status: 409 });
  }
  const digest = parts.hash(new TextDecoder().decode(bytes));
  const mark = `published:${state.run}`;
  if ((await parts.store.marks.get(mark)) !== digest) {
    const { sha } = await github.commit({
      branch: await chooseBranch(doing),
      parent: place.head_sha,
      message: await redactFor(parts, state.run, commitMessage(doing)),
      files: checked.files,
      force: true,
    });
    await branch.addOurs(sha);
    await branch.setHead(sha);
    await parts.store.marks.set(mark, digest);
  }
  await writePullRequest(doing, ready);
  await showCheck(doing);
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

function commitMessage({ state, place }: Doing): string {
  // Code of an agent that nobody has looked at does not run the repository's CI with its secrets.
  const skip = place.ci === 'always' ? '' : '\n\n[skip ci]';
  return `${state.task.title}\n\nFor #${place.issue}, run ${state.run}.${skip}`;
}

/** All of the work is of a kind that no commit carries. */
async function sayNothingLeft(doing: Doing, leftOut: Changeset['left_out']): Promise<void> {
  const { parts, github, state } = doing;
  const detail = leftOut.slice(0, 10).map(({ path, problem }) => `${path}: ${problem}`);
  if (detail.length === 0) return;
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
}

async function writePullRequest(doing: Doing, ready: boolean): Promise<void> {
  const { parts, github, state, place } = doing;
  const branch = publishedBranch(parts, state.run, place);
  const head = (await github.branchHead(await branch.name())) ?? (await branch.head());
  if (head === undefined) return;
  await branch.setHead(head);
  const present = await findPullRequest(doing);
  const pull = present ?? (await createPullRequest(doing, head, ready));
  await parts.store.marks.set(`pull-of:${state.run}`, String(pull.number));
  await parts.store.marks.set(`run-of-pull:${place.repo_id}:${pull.number}`, state.run);
  if (present && !isTicked(present, head)) await describePullRequest(doing, present, head);
  if (ready && pull.draft) await github.markReady(pull.node_id);
}

/** One that is closed is over, with the run it was for. Only a run's own is kept: whoever closed it did so while it worked. */
async function findPullRequest({ parts, github, state, place }: Doing): Promise<PullRequest | undefined> {
  const found = await github.pullRequestOf(await publishedBranch(parts, state.run, place).name());
  if (found?.state !== 'closed') return found;
  const own = await parts.store.marks.get(`pull-of:${state.run}`);
  return own === String(found.number) ? found : undefined;
}

async function createPullRequest(doing: Doing, head: string, ready: boolean): Promise<PullRequest> {
  const { parts, github, state, place } = doing;
  return github.createPullRequest({
    branch: await publishedBranch(parts, state.run, place).name(),
    base: place.default_branch,
    title: state.task.title,
    body: await renderDescription(doing, head),
    draft: !ready,
  });
}
