import { Hono } from 'hono';
import { inTime } from '../core/in-time.ts';
import type { HostedStore } from '../core/ports/hosted-store.ts';
import type { Counters } from './counters.ts';
import { measureDesk } from './measure-desk.ts';
import { type BudgetFigures, renderMetrics } from './render-metrics.ts';

export interface WorkerHealth {
  name: string;
  alive: boolean;
}

interface OperateDependencies {
  store: HostedStore;
  counters: Counters;
  /** GitHub's rate limit by installation. */
  budgets?(): BudgetFigures[];
  workers(): WorkerHealth[];
  now(): Date;
}

const STORE_TIMEOUT_MS = 2_000;
/** The probe writes, and anybody may ask, so that all who ask within this time share one. */
const PROBED_FOR_MS = 1_000;
/** Results are cached for this long, however often scrapers ask. */
const MEASURED_FOR_MS = 5_000;

/** `/healthz` and `/metrics`. They contain figures only, no text of runs. */
export function createOperate({ store, counters, budgets, workers, now }: OperateDependencies): Hono {
  const app = new Hono();
  let probed: { at: number; reachable: Promise<boolean> } | undefined;
  let measured: { at: number; text: Promise<string> } | undefined;

  app.get('/healthz', async (c) => {
    const health = workers();
    const at = now().getTime();
    if (!probed || at - probed.at >= PROBED_FOR_MS) probed = { at, reachable: isReachable(store) };
    const reachable = await probed.reachable;
    const ok = reachable && health.every(({ alive }) => alive);
    const dead = health.filter(({ alive }) => !alive).map(({ name }) => name);
    return c.json({ ok, store: reachable, dead_workers: dead }, ok ? 200 : 503);
  });

  app.get('/metrics', async (c) => {
    const at = now().getTime();
    if (!measured || at - measured.at >= MEASURED_FOR_MS) {
      const text = measureDesk(store).then((figures) => renderMetrics(figures, counters, budgets?.()));
      measured = { at, text };
      // A failure is not cached.
      text.catch(() => {
        measured = undefined;
      });
    }
    return c.text(await measured.text, 200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    });
  });

  return app;
}

function isReachable(store: HostedStore): Promise<boolean> {
  const asked = store.probe().then(
    () => true,
    () => false,
  );
  return inTime(asked, AbortSignal.timeout(STORE_TIMEOUT_MS), () => false);
}
