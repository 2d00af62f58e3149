import { isNeeded } from '../app/effects/dispatch-job.ts';
import { issueOfBranch } from '../core/our-branch.ts';
import { isCondemned } from '../core/ports/dispatches.ts';
import { jobCommits } from '../core/work/round-head.ts';
import type { DeskParts } from './desk-parts.ts';
import { hearEvent } from './hear-event.ts';
import { holdBrief } from './hold-brief.ts';
import { closeDesk, type OpenDesk } from './open-desk.ts';
import { readEvent } from './read-event.ts';
import { remind } from './remind.ts';
import { workOnIssue } from './work-on-issue.ts';

/** The outputs of the job, by which Actions decides which job comes next. */
export interface DeskOutputs {
  next: 'build' | 'verify' | 'none';
  issue?: string;
  head_sha?: string;
  /** The commit that is checked out while set-up steps run. */
  base_sha?: string;
  operation?: string;
  changeset?: string;
  /** The commands that verify the work, as JSON. */
  checks?: string;
}

const NONE: DeskOutputs = { next: 'none' };

/** Part `desk`: handles the event that started this Actions run, and decides which job follows. */
export async function runDesk(parts: DeskParts): Promise<DeskOutputs> {
  const { job } = parts;
  const event = readEvent(job.event, job.label);
  if (event.about === 'nothing') {
    job.log.info({ event: job.event.name }, `nothing to do: ${event.why}`);
    return NONE;
  }
  if (event.about === 'all issues') {
    await remind(parts);
    return NONE;
  }
  const issue = event.about === 'issue' ? event.issue : await issueOfPull(parts, event.pull);
  if (issue === undefined) return NONE;
  return workOnIssue(parts, issue, async (desk) => {
    await hearEvent(parts, desk, event.handler);
    await takeDispatched(parts, desk, event.about === 'issue' ? event.operation : undefined);
    return closeDesk(parts, desk, () => nameNext(parts, desk));
  });
}

async function issueOfPull({ github }: DeskParts, number: number): Promise<number | undefined> {
  const branch = (await github.pullRequest(number))?.branch;
  return branch === undefined ? undefined : issueOfBranch(branch);
}

/**
 * This Actions run was started for a job that an earlier desk asked for, or it is a later attempt of one that had begun. A job
 * that another Actions run has is left to it.
 */
async function takeDispatched(
  { job }: DeskParts,
  { deps, jobs }: OpenDesk,
  operation: string | undefined,
): Promise<void> {
  const { dispatches, runs } = deps.store;
  const dispatch =
    (operation === undefined ? undefined : await dispatches.find(operation)) ??
    (await dispatches.ofActionsRun(job.actionsRun));
  if (!dispatch || dispatch.ended_at || isCondemned(dispatch)) return;
  const { state } = await runs.load(dispatch.run);
  if (!state || !isNeeded(state, dispatch)) return;
  const isOthers = dispatch.claimed_at !== undefined && dispatch.actions_run !== job.actionsRun;
  if (isOthers) return;
  const at = (await deps.store.now()).toISOString();
  await dispatches.change(dispatch.op, {
    requested_at: dispatch.requested_at ?? at,
    answered_at: dispatch.answered_at ?? at,
    ...jobs.take(dispatch.op),
  });
}

/** The job that comes next in this Actions run, with all that it needs. */
async function nameNext(
  { packOutput, keysFor }: DeskParts,
  { deps, jobs, state }: OpenDesk,
): Promise<DeskOutputs> {
  const { store } = deps;
  const op = jobs.taken();
  const dispatch = op === undefined ? undefined : await store.dispatches.find(op);
  if (!dispatch || dispatch.ended_at) return NONE;
  const { state: run, version } = await store.runs.load(dispatch.run);
  const target = await store.runs.target(dispatch.run);
  if (!run || !target || !isNeeded(run, dispatch)) return NONE;
  const { head_sha, base_sha = head_sha } = jobCommits(run, target);
  const outputs = {
    issue: String(target.issue),
    head_sha,
    base_sha,
    operation: dispatch.op,
    checks: JSON.stringify(run.checks),
  };
  if (dispatch.kind === 'verify') {
    const bytes = await store.blobs.get(run.run, 'changeset');
    const changeset = bytes ? packOutput(bytes) : '';
    // Larger work goes by the artifact of a build that has nothing else to do.
    if (changeset !== undefined) return { ...outputs, next: 'verify', changeset };
  }
  const keys = keysFor(target.issue, dispatch.op);
  const held = await holdBrief(store, { state: run, version, target }, dispatch, keys);
  state.putEntry('brief', Buffer.from(JSON.stringify(held)));
  return { ...outputs, next: 'build' };
}
