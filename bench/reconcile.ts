import { reconcile } from '../src/app/reconcile/reconcile.ts';
import type { Figure } from './figure.ts';
import { openParkedRuns } from './parked-runs.ts';

const MINUTE_MS = 60_000;
/** In each repository somebody writes about something else this often. */
const TALK_MINUTES = 10;

/** Counted as GitHub counts: an answer that nothing changed is free, and a token lives for an hour. */
export const reconcileFigure: Figure = {
  id: 'reconcile',
  title: 'Counted GitHub calls per hour, 1,000 parked runs in 50 repositories',
  bar: 1_000,
  unit: 'calls',
  better: 'lower',
  async measure() {
    const repositories = 50;
    const desk = await openParkedRuns({ repositories, runs: 1_000 });
    const sum = (counted: Record<string, number>) =>
      Object.values(counted).reduce((all, one) => all + one, 0);
    try {
      // The hour after a first start: every run is read on its own once in its life, some of them in each round.
      await reconcile(desk.deps);
      const first = sum(desk.takeCalls().counted);
      const began = performance.now();
      for (let minute = 0; minute < 60; minute += 1) {
        desk.clock.ms += MINUTE_MS;
        for (let repository = 1; repository <= repositories; repository += 1)
          if ((minute + repository) % TALK_MINUTES === 0) desk.comment(repository, 900_000, 'Nice weather.');
        await reconcile(desk.deps);
      }
      const { counted, unchanged } = desk.takeCalls();
      const ms = Math.round((performance.now() - began) / 60);
      return {
        value: sum(counted),
        detail: { ...counted, unchanged, 'first round': first, 'ms per round': ms },
      };
    } finally {
      await desk.close();
    }
  },
};
