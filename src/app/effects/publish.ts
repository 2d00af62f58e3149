import { renderPullRequest } from '../../comments/render-pull-request.ts';
import { Changeset, checkChangeset } from '../../core/changeset.ts';
import { GitHubError, type PullRequest } from '../../core/github-port.ts';
import { commentContext } from '../comment-context.ts';
import { postReply } from '../post-reply.ts';
import { redactFor } from '../redact.ts';
import type { Doing } from './perform-effect.ts';

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
  if (checked.files.length === 0) return;
  if (changeset.base_sha !== place.head_sha) {
    throw new GitHubError('the changeset is for another commit than the run', { status: 409 });
  }
  const branch = `autobuild/issue-${place.issue}`;
  const digest = parts.hash(new TextDecoder().decode(bytes));
  const mark = `published:${state.run}`;
  if ((await parts.store.marks.get(mark)) !== digest) {
    await github.commit({
      branch,
      parent: place.head_sha,
      message: await redactFor(parts, state.run, commitMessage(doing)),
      files: checked.files,
      force: true,
    });
    await parts.store.marks.set(mark, digest);
  }
  await writePullRequest(doing, branch, ready);
}

function commitMessage({ state, place }: Doing): string {
  // Code of an agent that nobody has looked at does not run the repository's CI with its secrets.
  const skip = place.ci === 'always' ? '' : '\n\n[skip ci]';
  return `${state.task.title}\n\nFor #${place.issue}, run ${state.run}.${skip}`;
}

async function writePullRequest(doing: Doing, branch: string, ready: boolean): Promise<void> {
  const { parts, github, state, place } = doing;
  const present = await github.pullRequestOf(branch);
  const number = present?.number;
  if (number) await parts.store.marks.set(`pull-of:${state.run}`, String(number));
  const body = await renderBody(doing);
  const pull = present ?? (await create(doing, branch, body, ready));
  await parts.store.marks.set(`pull-of:${state.run}`, String(pull.number));
  await parts.store.marks.set(`run-of-pull:${place.repo_id}:${pull.number}`, state.run);
  if (present && present.body !== body) await github.updatePullRequest(present.number, { body });
  if (ready && pull.draft) await github.markReady(pull.node_id);
  const head = await github.branchHead(branch);
  if (head) {
    await github.upsertCheckRun({
      head_sha: head,
      external_id: state.run,
      status: ready ? 'completed' : 'in_progress',
      conclusion: ready ? (state.finished?.partial ? 'neutral' : 'success') : undefined,
      title: ready ? 'Built by Autobuild' : 'Autobuild waits',
      summary: `Run ${state.run}, turn ${state.turn}.`,
      details_url: `${parts.settings.publicUrl}/runs/${state.run}`,
    });
  }
}

async function renderBody({ parts, state, place }: Doing): Promise<string> {
  const where = await commentContext(parts, state, place, `${state.run}.pr`);
  return redactFor(parts, state.run, renderPullRequest(state, where));
}

async function create(doing: Doing, branch: string, body: string, ready: boolean): Promise<PullRequest> {
  const { github, state, place } = doing;
  return github.createPullRequest({
    branch,
    base: place.default_branch,
    title: state.task.title,
    body,
    draft: !ready,
  });
}
