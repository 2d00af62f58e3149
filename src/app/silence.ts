import type { Effect } from '../core/contracts/effect.ts';
import type { RunState } from '../core/contracts/run-state.ts';
import { isFor } from '../core/decide/jobs/needed-dispatch.ts';
import { type Dispatch, isCondemned } from '../core/ports/dispatches.ts';
import type { AppDependencies } from './dependencies.ts';
import { write } from './handle-input.ts';

/** R-5: a job that works and says nothing for this long is shown as silent. Heartbeats come every 30 s. */
const SILENT_MS = 150_000;

/** When the job was last heard, if it has been silent for too long. A job that is locked out is not waited for. */
export function silentSince(dispatch: Dispatch, now: Date): string | undefined {
  const { working_at, heard_at = working_at, ended_at } = dispatch;
  if (working_at === undefined || heard_at === undefined || ended_at !== undefined) return undefined;
  if (isCondemned(dispatch)) return undefined;
  return now.getTime() - Date.parse(heard_at) > SILENT_MS ? heard_at : undefined;
}

/** One silence is told once, and so is its end. */
export function silenceKey({ op, heard_at }: Dispatch, since: string | undefined): string {
  return `silence:${op}:${since ?? `back ${heard_at}`}`;
}

/**
 * Records what status or question are about to show of the jobs that the run needs. An effect does it, which is repeated until they
 * are written; recorded by whoever noticed the silence, a desk killed in between would leave a silence that nobody is told of. The
 * record counts for status and question, so whoever changes it has the other one written, too.
 */
export async function noteSilence(
  deps: AppDependencies,
  state: RunState,
  other: Effect | undefined,
): Promise<void> {
  if (!deps.jobs.isConnected) return;
  const { dispatches } = deps.store;
  const now = await deps.store.now();
  for (const job of await dispatches.open(state.run)) {
    const silent_at = silentSince(job, now);
    if (!isFor(state, job) || silent_at === job.silent_at) continue;
    if (other) await write(deps, state.run, [other], [silenceKey(job, silent_at)]);
    await dispatches.change(job.op, { silent_at });
  }
}
