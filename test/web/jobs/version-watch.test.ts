import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { waitForVersion } from '../../../src/web/jobs/version-watch.ts';

/** The clock stands still: what ends a wait here is not the time. */
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openStore() {
  const listeners = new Set<(what: string) => void>();
  const store = {
    version: 1,
    loads: 0,
    wake: (what: string) => listeners.forEach((hear) => void hear(what)),
  };
  const wait = (signal = new AbortController().signal) =>
    waitForVersion(
      {
        runs: {
          async load() {
            store.loads += 1;
            return { version: store.version, state: undefined };
          },
        },
        onWake(hear: (what: string) => void) {
          listeners.add(hear);
          return () => void listeners.delete(hear);
        },
      } as unknown as Parameters<typeof waitForVersion>[0],
      'r1',
      1,
      25_000,
      signal,
    );
  return { store, wait, listeners };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

test('E-16: whoever waits is woken by the change itself, and looks twice in all', async () => {
  const { store, wait, listeners } = openStore();
  const waiting = wait();
  await settle();
  store.version = 2;
  store.wake('run:r1');
  expect((await waiting).version).toBe(2);
  expect(store.loads).toBe(2);
  expect(listeners.size).toBe(0);
});

test('what happens to another run wakes nobody', async () => {
  const { store, wait } = openStore();
  const controller = new AbortController();
  const waiting = wait(controller.signal);
  await settle();
  store.wake('run:r2');
  await settle();
  expect(store.loads).toBe(1);
  controller.abort();
  expect((await waiting).version).toBe(1);
});

test('E-16: where a wake-up was lost, it looks for itself within two seconds', async () => {
  const { store, wait } = openStore();
  const waiting = wait();
  await settle();
  store.version = 2;
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await waiting).version).toBe(2);
});
