import { phaseOf } from '../../core/contracts/run-state.ts';
import { endedWithoutResult } from '../../core/decide/is-still-wanted.ts';
import { type Dispatch, isCondemned, STOPPED } from '../../core/ports/dispatches.ts';
import { findStarted, isNeeded } from './dispatch-job.ts';
import type { EffectContext, Performed } from './effect-context.ts';

/** A job that runs reads its orders and ends by itself within this time. */
const GRACE_MS = 20_000;

/**
 * Stops jobs that the run does not want any more. A job that has not begun, still sets up or is not heard any more is cancelled
 * at once, and so is one that is not connected. Any other ends by its orders, so that it saves its work; after a cancel it is
 * cancelled in Actions when the grace is over.
 */
export async function stopJobs(context: EffectContext): Promise<Performed> {
  const { deps, state } = context;
  const now = await deps.store.now();
  const open = await deps.store.dispatches.open(state.run);
  // The run may have been continued since. Jobs whose stop had begun before are stopped all the same.
  const hasBegun = (dispatch: Dispatch) => isCondemned(dispatch) || dispatch.stopping_at !== undefined;
  const unwanted = open.filter((dispatch) =>
    phaseOf(state) === 'working' ? hasBegun(dispatch) : !isNeeded(state, dispatch),
  );
  const condemned: Dispatch[] = [];
  const graces: number[] = [];
  for (const dispatch of unwanted) {
    const endsByItself = deps.jobs.isConnected && dispatch.working_at && !isCondemned(dispatch);
    if (!endsByItself) condemned.push(dispatch);
    else if (!endedWithoutResult(state) && dispatch.stopping_at === undefined) continue;
    else {
      const leftMs = await graceLeft(context, dispatch, now);
      if (leftMs > 0) graces.push(leftMs);
      else condemned.push(dispatch);
    }
  }
  await cancelAll(context, condemned);
  return graces.length > 0 ? { againAfterMs: Math.min(...graces) } : {};
}

/**
 * The grace begins when the stop is first tried. The run's own times do not tell: they move with all that is said to it afterwards,
 * and are by the desk's clock.
 */
async function graceLeft({ deps }: EffectContext, { op, stopping_at }: Dispatch, now: Date): Promise<number> {
  if (stopping_at !== undefined) return Date.parse(stopping_at) + GRACE_MS - now.getTime();
  await deps.store.dispatches.change(op, { stopping_at: now.toISOString() });
  return GRACE_MS;
}

/** The fresh job whose result nobody waits for. */
export async function stopVerification(context: EffectContext): Promise<void> {
  const { deps, state } = context;
  const open = await deps.store.dispatches.open(state.run);
  const isUnwanted = (dispatch: Dispatch) => isCondemned(dispatch) || !isNeeded(state, dispatch);
  await cancelAll(
    context,
    open.filter((dispatch) => dispatch.kind === 'verify' && isUnwanted(dispatch)),
  );
}

/**
 * All are locked out before GitHub is asked for the first time, because it may refuse: a job that is half stopped would be waited
 * for. The reason is recorded first, so that the end of the workflow run is neither a loss nor a person's cancel, and so that a
 * desk which is killed here leaves no job that is locked out and looks alive.
 */
async function cancelAll(context: EffectContext, condemned: Dispatch[]): Promise<void> {
  const { deps, github } = context;
  const { dispatches } = deps.store;
  for (const { op } of condemned) {
    await dispatches.change(op, { outcome: STOPPED });
    await deps.jobs.silence(op);
  }
  for (const dispatch of condemned) {
    const actions_run = dispatch.actions_run ?? (await findStarted(context, dispatch));
    await deps.jobs.stop({ ...dispatch, actions_run }, github);
    await dispatches.change(dispatch.op, { ended_at: (await deps.store.now()).toISOString() });
  }
}
