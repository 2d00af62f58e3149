import type * as z from 'zod';
import { reconcileRun } from '../app/reconcile/reconcile-run.ts';
import { issueOfBranch } from '../core/our-branch.ts';
import type { Dispatch } from '../core/ports/dispatches.ts';
import type { VerificationRequest } from '../core/ports/job-api.ts';
import type { DeskParts } from './desk-parts.ts';
import { endOwnJob } from './end-own-job.ts';
import { closeDesk, type OpenDesk, openDesk } from './open-desk.ts';
import { readEvent } from './read-event.ts';
import { takeResult } from './take-result.ts';
import { type ReadWork, takeWork } from './take-work.ts';

/** The traces of the jobs between the two parts of this desk. */
export interface Delivered {
  readWork: ReadWork;
  /** The result of the job that verified. Undefined: there was none, it was lost, or it is invalid. */
  result: z.infer<typeof VerificationRequest> | undefined;
  /** How the jobs ended, in Actions' words: `success`, `failure`, `cancelled`, `skipped`. */
  conclusions: readonly string[];
}

/** Another desk may take the state over once or twice; more often means that something is wrong. */
const TRIES = 3;

/** Part `deliver`: takes in what the build and the verification left, and decides again by it. */
export async function deliver(parts: DeskParts, left: Delivered): Promise<void> {
  const { job } = parts;
  const issue = await findIssue(parts);
  if (issue === undefined) return;
  for (let attempt = 1; ; attempt += 1) {
    const desk = await openDesk(parts, issue);
    try {
      const dispatch = await desk.deps.store.dispatches.ofActionsRun(job.actionsRun);
      if (dispatch) await takeOnce(parts, desk, dispatch, left);
      const run = dispatch?.run ?? (await desk.deps.store.runs.ofIssue(job.repoId, issue));
      if (run !== undefined) await reconcileRun(desk.deps, run);
      return await closeDesk(parts, desk, async () => undefined);
    } catch (error) {
      await desk.state.abandon();
      if (!parts.isTakenOver(error) || attempt >= TRIES) throw error;
      job.log.warn(
        { issue, attempt, error: String(error) },
        'another desk has the state, so this one begins again',
      );
    }
  }
}

/**
 * A desk that was killed after it had saved took everything in already, and only its effects are left. Also a job that was
 * stopped is read: a paused run keeps its work. If its successor has begun since, that one has the word.
 */
async function takeOnce(
  parts: DeskParts,
  { deps }: OpenDesk,
  dispatch: Dispatch,
  { readWork, result, conclusions }: Delivered,
): Promise<void> {
  const { runs, dispatches } = deps.store;
  const { op, run, job, kind, attempt = 1 } = dispatch;
  const key = `delivered:${op}:${attempt}`;
  if (await runs.wasSeen(key)) return;
  await runs.write('', '', [], [key]);
  const open = await dispatches.open(run);
  if (open.some((other) => other.op !== op && other.job === job && other.kind === kind)) return;
  if (dispatch.kind === 'build') await takeWork(deps, dispatch, readWork);
  await takeResult(deps, dispatch, result);
  await endOwnJob(parts, deps, dispatch, conclusions);
}

/** The event is the one that the desk of this Actions run had. */
async function findIssue({ job, github }: DeskParts): Promise<number | undefined> {
  const event = readEvent(job.event, job.label);
  if (event.about === 'issue') return event.issue;
  if (event.about !== 'pull request') return undefined;
  const branch = (await github.pullRequest(event.pull))?.branch;
  return branch === undefined ? undefined : issueOfBranch(branch);
}
