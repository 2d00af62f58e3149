import type * as z from 'zod';
import { reconcileRun } from '../app/reconcile/reconcile-run.ts';
import { issueOfBranch } from '../core/our-branch.ts';
import type { Dispatch } from '../core/ports/dispatches.ts';
import type { VerificationRequest } from '../core/ports/job-api.ts';
import type { DeskParts } from './desk-parts.ts';
import { endOwnJob } from './end-own-job.ts';
import { closeDesk, type OpenDesk } from './open-desk.ts';
import { readEvent } from './read-event.ts';
import { takeResult } from './take-result.ts';
import { type ReadWork, takeWork } from './take-work.ts';
import { readAgain } from './try-again.ts';
import { workOnIssue } from './work-on-issue.ts';

/** The traces of the jobs between the two parts of this desk. */
export interface Delivered {
  readWork: ReadWork;
  /** The result of the job that verified. Undefined: there was none, it was lost, or it is invalid. */
  result: z.infer<typeof VerificationRequest> | undefined;
  /** How the jobs ended, in Actions' words: `success`, `failure`, `cancelled`, `skipped`. */
  conclusions: readonly string[];
}

/** Part `deliver`: takes in what the build and the verification left, and decides again by it. */
export async function deliver(parts: DeskParts, left: Delivered): Promise<void> {
  const issue = await findIssue(parts);
  if (issue === undefined) return;
  try {
    await deliverTo(parts, issue, left, { canShrink: true });
  } catch (error) {
    if (!parts.isTooLarge(error)) throw error;
    // The state without it fitted, so the job counts as lost, and the run continues.
    parts.job.log.warn({ issue, error: String(error) }, 'what the jobs left does not fit, so it is dropped');
    await deliverTo(parts, issue, { ...left, readWork: readNothing, result: undefined });
  }
}

const readNothing: ReadWork = () => ({ entries: [], isLastWordThere: false, skipped: {} });

function deliverTo(
  parts: DeskParts,
  issue: number,
  left: Delivered,
  options: { canShrink?: boolean } = {},
): Promise<void> {
  const { job } = parts;
  const work = async (desk: OpenDesk) => {
    const { dispatches, runs } = desk.deps.store;
    const dispatch = await dispatches.ofActionsRun(job.actionsRun);
    if (dispatch) await takeOnce(parts, desk, dispatch, left);
    const run = dispatch?.run ?? (await runs.ofIssue(job.repoId, issue));
    if (run !== undefined) await readAgain(job, () => reconcileRun(desk.deps, run));
    await closeDesk(parts, desk, async () => undefined);
  };
  return workOnIssue(parts, issue, work, options);
}

/**
 * A desk that was killed after it had saved took everything in already, and only its effects are left. Also a job that was
 * stopped is read: a paused run keeps its work. If its successor has begun since, that one has the word.
 */
async function takeOnce(
  parts: DeskParts,
  desk: OpenDesk,
  dispatch: Dispatch,
  { readWork, result, conclusions }: Delivered,
): Promise<void> {
  const { deps } = desk;
  const { runs, dispatches } = deps.store;
  const { op, run, job, kind, attempt = 1 } = dispatch;
  const key = `delivered:${op}:${attempt}`;
  if (await runs.wasSeen(key)) return;
  await runs.remember(run, key);
  await dropBrief(parts, desk, op);
  const hasBegunSince = (other: Dispatch) =>
    other.job === job &&
    other.kind === kind &&
    other.claimed_at !== undefined &&
    Date.parse(other.decided_at) > Date.parse(dispatch.decided_at);
  if ((await dispatches.open(run)).some(hasBegunSince)) return;
  if (dispatch.kind === 'build') await takeWork(deps, dispatch, readWork);
  await takeResult(deps, dispatch, result);
  await endOwnJob(parts, deps, dispatch, conclusions);
}

/**
 * "Re-run failed jobs" starts a build without its desk. Without a brief it ends at once, where its agent would work for nothing.
 * A brief for another job stays.
 */
async function dropBrief({ job }: DeskParts, { deps, issue, state }: OpenDesk, op: string): Promise<void> {
  const { runs, dispatches } = deps.store;
  const newest = await runs.ofIssue(job.repoId, issue);
  const open = newest === undefined ? [] : await dispatches.open(newest);
  const isOthers = open.some((other) => other.op !== op && other.claimed_at !== undefined);
  if (!isOthers) state.dropEntry('brief');
}

/** The event is the one that the desk of this Actions run had. */
async function findIssue({ job, github }: DeskParts): Promise<number | undefined> {
  const event = readEvent(job.event, job.label);
  if (event.about === 'issue') return event.issue;
  if (event.about !== 'pull request') return undefined;
  const branch = (await github.pullRequest(event.pull))?.branch;
  return branch === undefined ? undefined : issueOfBranch(branch);
}
