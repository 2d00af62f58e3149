import { isUnderWay } from '../../core/contracts/run-state.ts';
import type { DispatchInputs } from '../../core/ports/dispatch.ts';
import {
  actionsRunMark,
  dispatchedMark,
  type JobKind,
  verificationMark,
  verificationName,
} from '../../core/ports/job-api.ts';
import { lastDispatch, rememberDispatch } from '../last-dispatch.ts';
import type { EffectContext } from './effect-context.ts';

/** A job that did not claim its ticket within this time never will. */
const TICKET_MS = 6 * 3_600_000;

/** `begun` is the desk's time, but workflow runs are listed by GitHub's clock. */
const SKEW_MS = 60_000;

/**
 * Starts an Actions job with a ticket. A retry after a lost response finds the started job by its run name, which contains the
 * operation id. If the workflow sets another run name, a second job starts; its ticket is refused.
 */
export async function dispatchJob(context: EffectContext, kind: JobKind): Promise<void> {
  const { deps, github, state, target, op } = context;
  const needed =
    kind === 'verify'
      ? state.verifying !== undefined
      : !state.job_live && !state.pending && !state.paused && state.verifying === undefined;
  if (!needed || !isUnderWay(state)) return;
  const job = kind === 'verify' ? state.jobs : state.jobs + 1;
  if (await isDispatched(context, kind, job)) return;
  const started = await findStarted(context);
  if (started) return remember(context, { kind, job, actions_run: started });
  const ticket = deps.randomToken();
  const hash = deps.hash(ticket);
  if (kind === 'verify') await deps.store.marks.set(verificationMark(hash), verificationName(state));
  await deps.store.tokens.addTicket({
    hash,
    run: state.run,
    job,
    kind,
    expires_at: new Date(deps.now().getTime() + TICKET_MS).toISOString(),
  });
  const inputs: DispatchInputs = {
    ticket,
    desk: deps.settings.publicUrl,
    kind,
    head_sha: target.head_sha,
    issue: String(target.issue),
    operation: op,
  };
  const { run_id } = await github.dispatchWorkflow(target.workflow, target.default_branch, inputs);
  if (run_id !== undefined) await deps.store.marks.set(dispatchedMark(hash), String(run_id));
  await remember(context, { kind, job, actions_run: run_id });
}

/**
 * Two commands must start only one job while it waits for a runner. GitHub would cancel the other one, which looks as if a person
 * had cancelled it.
 */
async function isDispatched(
  { deps, github, state }: EffectContext,
  kind: JobKind,
  job: number,
): Promise<boolean> {
  const newest = await lastDispatch(deps, state.run);
  if (newest?.kind !== kind || newest.job !== job || newest.ended || !newest.actions_run) return false;
  const run = await github.workflowRun(newest.actions_run);
  return run !== undefined && run.status !== 'completed';
}

async function findStarted({ deps, github, target, op }: EffectContext): Promise<number | undefined> {
  const mark = `dispatching:${op}`;
  const begun = await deps.store.marks.get(mark);
  if (begun === undefined) {
    await deps.store.marks.set(mark, deps.now().toISOString());
    return undefined;
  }
  const since = new Date(Date.parse(begun) - SKEW_MS).toISOString();
  const runs = await github.workflowRuns(target.workflow, since);
  return runs.find(({ name }) => name.split(' ').includes(op))?.id;
}

async function remember(
  { deps, state }: EffectContext,
  dispatch: { kind: JobKind; job: number; actions_run?: number },
): Promise<void> {
  const { actions_run } = dispatch;
  await rememberDispatch(deps, state.run, { ...dispatch, at: deps.now().toISOString() });
  // Stored before the job claims its ticket, so that a job that ends without having begun is noticed.
  if (actions_run !== undefined) await deps.store.marks.set(actionsRunMark(actions_run), state.run);
}
