/** Measures working time: it runs while the agent or the checks run, and stops while a person is waited for. */
export interface Stopwatch {
  start(): void;
  stop(): void;
  ms(): number;
}

export function createStopwatch(now: () => number, already = 0): Stopwatch {
  let total = already;
  let since: number | undefined;
  return {
    start() {
      since ??= now();
    },
    stop() {
      if (since !== undefined) total += now() - since;
      since = undefined;
    },
    ms: () => total + (since === undefined ? 0 : now() - since),
  };
}
