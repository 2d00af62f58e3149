import { phaseOf } from '../../core/contracts/run-state.ts';
import { endedWithoutResult } from '../../core/decide/is-still-wanted.ts';
import type { Dispatch } from '../../core/ports/dispatches.ts';
import { isNeeded } from './dispatch-job.ts';
import type { EffectContext, Performed } from './effect-context.ts';

/** A job that runs reads its orders and ends by itself within this time. */
const GRACE_MS = 20_000;

/**
 * Stops jobs that the run does not want any more. A job that has not begun, still sets up or is not heard any more is cancelled
 * at once, and so is one that is not connected. Any other ends by its orders, so that it saves its work; after a cancel it is cancelled in Actions when the grace is over.
 */
export async function stopJobs(context: EffectContext): Promise<Performed> {
  const { deps, state } = context;
  if (phaseOf(state) === 'working') return {};
  const now = await deps.store.now();
  const open = (await deps.store.dispatches.open(state.run)).filter((dispatch) => !isNeeded(state, dispatch));
  let works = false;
  for (const dispatch of open) {
    const endsByItself = deps.jobs.isConnected && dispatch.working_at && dispatch.outcome === undefined;
    if (!endsByItself) await cancel(context, dispatch);
    else if (!endedWithoutResult(state)) continue;
    else if (now.getTime() - Date.parse(state.updated_at) >= GRACE_MS) await cancel(context, dispatch);
    else works = true;
  }
  return works ? { againAfterMs: GRACE_MS } : {};
}

/** The fresh job whose result nobody waits for. */
export async function stopVerification(context: EffectContext): Promise<void> {
  const { deps, state } = context;
  const open = await deps.store.dispatches.open(state.run);
  for (const dispatch of open)
    if (dispatch.kind === 'verify' && !isNeeded(state, dispatch)) await cancel(context, dispatch);
}

/** The reason is recorded first, so that the end of the workflow run is neither a loss nor a person's cancel. */
async function cancel({ deps, github }: EffectContext, dispatch: Dispatch): Promise<void> {
  const { dispatches } = deps.store;
  const { op } = dispatch;
  await deps.jobs.silence(op);
  await dispatches.change(op, { outcome: 'stopped by Autobuild' });
  await deps.jobs.stop(dispatch, github);
  await dispatches.change(op, { ended_at: (await deps.store.now()).toISOString() });
}
