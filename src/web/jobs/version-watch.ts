import type { RunState } from '../../core/contracts/run-state.ts';
import type { HostedStore } from '../../core/ports/hosted-store.ts';

/** A wake-up can be lost with a database connection, so waiters also poll. */
const LOOK_AGAIN_MS = 2_000;

/** Resolves when the run is at another version than `known`, when the time is up, or when the signal aborts. */
export async function waitForVersion(
  store: Pick<HostedStore, 'runs' | 'onWake'>,
  run: string,
  known: number | undefined,
  waitMs: number,
  signal: AbortSignal,
): Promise<{ version: number; state: RunState | undefined }> {
  const deadline = performance.now() + waitMs;
  let changes = 0;
  let wake: () => void = () => undefined;
  const stopListening = store.onWake((what) => {
    if (what !== `run:${run}`) return;
    changes += 1;
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      const seen = changes;
      const present = await store.runs.load(run);
      const left = deadline - performance.now();
      if (present.version !== known || left <= 0 || signal.aborted) return present;
      // A change made while the run was read woke nobody, so it is detected by the counter.
      if (seen !== changes) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, LOOK_AGAIN_MS));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  } finally {
    stopListening();
    signal.removeEventListener('abort', onAbort);
  }
}
