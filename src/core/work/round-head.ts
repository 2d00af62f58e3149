import type { RunState } from '../contracts/run-state.ts';
import { JobTarget } from '../ports/job-api.ts';
import type { RunTarget } from '../ports/run-target.ts';

/**
 * The commit that the present work builds on: the head of the pull request when the round began, whoever made it (V-5); in the
 * first round the commit that the run began with. A round without a result leaves no work.
 */
export function roundHead(
  { revision, revisions = [] }: Pick<RunState, 'revision' | 'revisions'>,
  { head_sha }: Pick<RunTarget, 'head_sha'>,
): string {
  if (revision) return revision.head ?? head_sha;
  const last = revisions.findLast(({ outcome }) => outcome === 'done' || outcome === 'partial');
  return last?.head ?? head_sha;
}

/** The place on GitHub that a job works for. */
export function jobPlace(state: RunState, target: RunTarget): JobTarget {
  return { ...JobTarget.parse(target), ...jobCommits(state, target) };
}

/**
 * The commit that a job works on, and the one that is checked out while its set-up steps run. The base is of the default branch;
 * the head of a round is agent's work, whose code must run nowhere but in the box.
 */
export function jobCommits(
  state: Pick<RunState, 'revision' | 'revisions'>,
  target: Pick<RunTarget, 'head_sha'>,
): { head_sha: string; base_sha?: string } {
  const head_sha = roundHead(state, target);
  return head_sha === target.head_sha ? { head_sha } : { head_sha, base_sha: target.head_sha };
}
