import { isFinished } from '../../core/contracts/run-state.ts';
import type { DispatchInputs } from '../../core/ports/dispatch.ts';
import {
  actionsRunMark,
  dispatchedMark,
  type JobKind,
  verificationMark,
  verificationName,
} from '../../core/ports/job-api.ts';
import { lastDispatch, rememberDispatch } from '../last-dispatch.ts';
import type { Doing } from './effect-context.ts';

/** A job that has not claimed its ticket by then never will. */
const TICKET_MS = 6 * 3_600_000;

/** Runs are listed by GitHub's clock. */
const SKEW_MS = 60_000;

/**
 * Starts an Actions job with a ticket. Repeated after a lost response it finds the one it started by its name, which carries
 * the operation; where the workflow names it otherwise a second one starts, whose ticket opens nothing.
 */
export async function dispatchJob(doing: Doing, kind: JobKind): Promise<void> {
  const { parts, github, state, place, op } = doing;
  const needed =
    kind === 'verify'
      ? state.verifying !== undefined
      : !state.job_live && !state.pending && !state.paused && state.verifying === undefined;
  if (!needed || isFinished(state)) return;
  const job = kind === 'verify' ? state.jobs : state.jobs + 1;
  if (await isUnderWay(doing, kind, job)) return;
  const started = await findStarted(doing);
  if (started) return remember(doing, { kind, job, actions_run: started });
  const ticket = parts.randomToken();
  const hash = parts.hash(ticket);
  if (kind === 'verify') await parts.store.marks.set(verificationMark(hash), verificationName(state));
  await parts.store.tokens.addTicket({
    hash,
    run: state.run,
    job,
    kind,
    expires_at: new Date(parts.now().getTime() + TICKET_MS).toISOString(),
  });
  const inputs: DispatchInputs = {
    ticket,
    desk: parts.settings.publicUrl,
    kind,
    head_sha: place.head_sha,
    issue: String(place.issue),
    operation: op,
  };
  const { run_id } = await github.dispatchWorkflow(place.workflow, place.default_branch, inputs);
  if (run_id !== undefined) await parts.store.marks.set(dispatchedMark(hash), String(run_id));
  await remember(doing, { kind, job, actions_run: run_id });
}

/** Two commands while a job waits for its runner start one job: GitHub would cancel the other, which looks like a person's doing. */
async function isUnderWay({ parts, github, state }: Doing, kind: JobKind, job: number): Promise<boolean> {
  const newest = await lastDispatch(parts, state.run);
  if (newest?.kind !== kind || newest.job !== job || newest.ended || !newest.actions_run) return false;
  const run = await github.workflowRun(newest.actions_run);
  return run !== undefined && run.status !== 'completed';
}

async function findStarted({ parts, github, place, op }: Doing): Promise<number | undefined> {
  const mark = `dispatching:${op}`;
  const begun = await parts.store.marks.get(mark);
  if (begun === undefined) {
    await parts.store.marks.set(mark, parts.now().toISOString());
    return undefined;
  }
  const since = new Date(Date.parse(begun) - SKEW_MS).toISOString();
  const runs = await github.workflowRuns(place.workflow, since);
  return runs.find(({ name }) => name.split(' ').includes(op))?.id;
}

async function remember(
  { parts, state }: Doing,
  dispatch: { kind: JobKind; job: number; actions_run?: number },
): Promise<void> {
  const { actions_run } = dispatch;
  await rememberDispatch(parts, state.run, { ...dispatch, at: parts.now().toISOString() });
  // Known before it claims: a job that ends without having begun is noticed, too.
  if (actions_run !== undefined) await parts.store.marks.set(actionsRunMark(actions_run), state.run);
}
