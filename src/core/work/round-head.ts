import type { BaseUpdate } from '../contracts/revision.ts';
import type { RunState } from '../contracts/run-state.ts';
import { JobTarget } from '../ports/job-api.ts';
import type { RunTarget } from '../ports/run-target.ts';

type Rounds = Pick<RunState, 'revision' | 'revisions'>;
type Begun = Pick<RunTarget, 'head_sha'>;

/**
 * The commit that the present work is a change of: the head of the pull request when the round began, whoever made it (V-5); in
 * an update the commit of the base that is merged (V-6); in the first round the commit that the run began with. A round without
 * a result leaves no work.
 */
export function roundHead(state: Rounds, { head_sha }: Begun): string {
  const round = roundOfWork(state);
  return round?.update?.sha ?? round?.head ?? head_sha;
}

/** The commits that the present work is put on. In an update there are two: the head of the pull request, and the base's. */
export function roundParents(state: Rounds, { head_sha }: Begun): [string, ...string[]] {
  const round = roundOfWork(state);
  return [round?.head ?? head_sha, ...(round?.update ? [round.update.sha] : [])];
}

/** V-6: the update of which the present work is the result. */
export function roundUpdate(state: Rounds): BaseUpdate | undefined {
  return roundOfWork(state)?.update;
}

function roundOfWork({ revision, revisions = [] }: Rounds) {
  return revision ?? revisions.findLast(({ outcome }) => outcome === 'done' || outcome === 'partial');
}

/** The place on GitHub that a job works for. */
export function jobPlace(state: RunState, target: RunTarget): JobTarget {
  return { ...JobTarget.parse(target), ...jobCommits(state, target) };
}

/**
 * The commit that a job works on, and the one that is checked out while its set-up steps run. The base is of the default branch:
 * the one that was merged last, or the one that the run began with. The head of a round is agent's work, whose code must run
 * nowhere but in the box.
 */
export function jobCommits(state: Rounds, target: Begun): { head_sha: string; base_sha?: string } {
  const head_sha = roundHead(state, target);
  const base_sha = lastMergedBase(state) ?? target.head_sha;
  return head_sha === base_sha ? { head_sha } : { head_sha, base_sha };
}

function lastMergedBase({ revision, revisions = [] }: Rounds): string | undefined {
  const merged = revisions.findLast(
    ({ outcome, update }) => update && (outcome === 'done' || outcome === 'partial'),
  );
  return revision?.update?.sha ?? merged?.update?.sha;
}
