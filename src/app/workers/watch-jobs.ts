import { type RunState, verificationName } from '../../core/contracts/run-state.ts';
import { neededJob } from '../../core/decide/jobs/end-job.ts';
import { isFor } from '../../core/decide/jobs/needed-dispatch.ts';
import type { Dispatch } from '../../core/ports/dispatches.ts';
import type { AppDependencies } from '../dependencies.ts';
import { handleInput } from '../handle-input.ts';
import { logOf } from '../handlers/workflow-run-completed.ts';
import { silenceKey, silentSince } from '../silence.ts';

/**
 * A dispatch that GitHub answered without a run id, and that nobody claimed, is looked for by reconcile until then. GitHub lists a
 * new run within seconds, and reconcile looks after 180 s of silence, once a minute: by now it has looked, and R-13's 5 minutes are
 * not over. A run that GitHub lists later than this finds its ticket void and ends, so it costs a machine and nothing else.
 */
const UNKNOWN_MS = 270_000;
/** As long as a job may wait in a queue of Actions: its ticket is void afterwards. */
const QUEUED_MS = 24 * 3_600_000;

/**
 * a run that works has a job, or a dispatch of that job under way; else its job is asked for again, or a person is asked. R-5:
 * a job is shown as silent also while it waits with its run for a person. Only the store is read, so it costs GitHub nothing and
 * works while GitHub is down.
 */
export async function watchJobs(deps: AppDependencies): Promise<void> {
  const { store, jobs, log } = deps;
  const working = await store.runs.inPhase('working');
  const held = jobs.isConnected ? await store.dispatches.atWork('waiting') : [];
  if (working.length + held.length === 0) return;
  const now = await store.now();
  for (const [runs, watch] of [
    [working, watchRun],
    [held, watchHeld],
  ] as const)
    for (const run of runs) {
      try {
        await watch(deps, run, now);
      } catch (error) {
        log.warn({ run, error: String(error) }, 'the job of this run could not be looked at');
      }
    }
}

/** A run that waits for a person needs no job, so only the silence of the one it has is looked at. */
async function watchHeld(deps: AppDependencies, run: string, now: Date): Promise<void> {
  const { state } = await deps.store.runs.load(run);
  if (!state) return;
  for (const dispatch of await deps.store.dispatches.open(run))
    if (isFor(state, dispatch)) await showSilence(deps, state, dispatch, now);
}

/** Also for a desk that has one run to look after. */
export async function watchRun(deps: AppDependencies, run: string, now: Date): Promise<void> {
  const { state, version } = await deps.store.runs.load(run);
  if (!state) return;
  const open = await deps.store.dispatches.open(run);
  const current = open.filter((dispatch) => isFor(state, dispatch));
  for (const dispatch of current) await showSilence(deps, state, dispatch, now);
  const expired = current.filter((dispatch) => whyExpired(dispatch, now) !== undefined);
  for (const dispatch of expired)
    await deps.store.dispatches.change(dispatch.op, {
      ended_at: now.toISOString(),
      outcome: whyExpired(dispatch, now),
    });
  // The job that built may seem to live for long after it has left its work, and nothing but the verification is needed then.
  const needed = state.verifying === undefined ? current : current.filter(({ kind }) => kind === 'verify');
  if (needed.some((dispatch) => !expired.includes(dispatch))) return;
  await reportMissing(deps, state, version, needed.at(-1), now);
}

function whyExpired(dispatch: Dispatch, now: Date): string | undefined {
  const { answered_at, actions_run, claimed_at } = dispatch;
  // Before GitHub has answered, the effect that asks for the job is retried in its lane.
  if (answered_at === undefined || claimed_at !== undefined) return undefined;
  const waited = now.getTime() - Date.parse(answered_at);
  if (actions_run === undefined && waited > UNKNOWN_MS)
    return 'GitHub accepted the request, but no workflow run appeared';
  return waited > QUEUED_MS ? 'the job waited 24 hours for a runner' : undefined;
}

async function reportMissing(
  deps: AppDependencies,
  state: RunState,
  version: number,
  expired: Dispatch | undefined,
  now: Date,
): Promise<void> {
  const { run } = state;
  const target = await deps.store.runs.target(run);
  const verifies = state.verifying !== undefined;
  const outcome = expired
    ? (whyExpired(expired, now) ?? 'it expired')
    : 'no job was running although the run needs one';
  deps.log.warn({ run, outcome }, 'the run has no job');
  await handleInput(
    deps,
    run,
    {
      type: 'job_ended',
      at: deps.now().toISOString(),
      job: verifies ? state.jobs : (neededJob(state) ?? state.jobs),
      kind: verifies ? 'verify' : 'build',
      verification: verifies ? verificationName(state) : undefined,
      outcome,
      log_url: target && expired?.actions_run ? logOf(deps, target, expired.actions_run) : undefined,
    },
    // The same state is reported once; a decision since then has another version.
    [`job-missing:${run}:${version}`],
  );
}

/** status and open question show a silent job. It is not replaced, because only Actions knows whether it still runs. */
async function showSilence(
  deps: AppDependencies,
  { pending }: RunState,
  dispatch: Dispatch,
  now: Date,
): Promise<void> {
  const { run, silent_at } = dispatch;
  const since = deps.jobs.isConnected ? silentSince(dispatch, now) : undefined;
  if ((since === undefined) === (silent_at === undefined)) return;
  const at = deps.now().toISOString();
  const asked = pending === undefined ? [] : [{ type: 'ask' as const, escalation: pending }];
  const effects = [{ type: 'update_status' as const }, ...asked];
  const input = { type: 'write' as const, at, effects };
  // Until the status is written, this is noticed again and again.
  const handled = await handleInput(deps, run, input, [silenceKey(dispatch, since)]);
  if (handled && !handled.duplicate)
    deps.log.warn({ run, job: dispatch.job, since }, since ? 'the job is silent' : 'the job is back');
}
