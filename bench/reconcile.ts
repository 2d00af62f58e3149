import { reconcile } from '../src/app/reconcile/reconcile.ts';
import type { Figure } from './figure.ts';
import { OTHER_ISSUE, openParkedRuns, type ParkedRuns } from './parked-runs.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** In each repository somebody writes about something else this often. */
const TALK_MINUTES = 10;

const REPOSITORIES = 50;

/**
 * Counted as GitHub counts: an answer that nothing changed is free, and a token lives for an hour. A query counts once. The
 * value is the hour after a first start, which is the worst, with its first round; in `busy` repositories the lists tell less, so
 * that most runs are read on their own.
 */
export const reconcileFigure: Figure = {
  id: 'reconcile',
  title: 'Counted GitHub calls in the worst hour, 1,000 parked runs in 50 repositories',
  bar: 1_000,
  unit: 'calls',
  better: 'lower',
  async measure() {
    const busy = await openParkedRuns({ repositories: REPOSITORIES, runs: 1_000, isBusy: true });
    const calm = await openParkedRuns({ repositories: REPOSITORIES, runs: 1_000 });
    try {
      const worst = await playHour(busy);
      const first = await playHour(calm);
      // A token of the new desk, and every run was read before.
      calm.clock.ms += HOUR_MS;
      const again = await playHour(calm);
      // Nothing is special about it: its first round is one of many, and the token changes once.
      const later = await playHour(calm);
      return {
        value: Math.max(worst.sum, first.sum, again.sum, later.sum),
        detail: {
          ...worst.counted,
          unchanged: worst.unchanged,
          'first round': worst.firstRound,
          'calm repositories': first.sum,
          'after a restart': again.sum,
          'a later hour': later.sum,
          'ms per round': first.ms,
        },
      };
    } finally {
      await busy.close();
      await calm.close();
    }
  },
};

/** The round of a start and those of the hour that follows. */
async function playHour(desk: ParkedRuns) {
  const spent = { counted: {} as Record<string, number>, unchanged: 0, firstRound: 0 };
  const began = performance.now();
  for (let minute = 0; minute <= 60; minute += 1) {
    desk.clock.ms += MINUTE_MS;
    for (let repository = 1; minute > 0 && repository <= REPOSITORIES; repository += 1)
      if ((minute + repository) % TALK_MINUTES === 0) desk.comment(repository, OTHER_ISSUE, 'Nice weather.');
    await reconcile(desk.deps);
    const { counted, unchanged } = desk.takeCalls();
    for (const [route, calls] of Object.entries(counted))
      spent.counted[route] = (spent.counted[route] ?? 0) + calls;
    spent.unchanged += unchanged;
    if (minute === 0) spent.firstRound = sumOf(counted);
  }
  return { ...spent, sum: sumOf(spent.counted), ms: Math.round((performance.now() - began) / 61) };
}

function sumOf(counted: Record<string, number>): number {
  return Object.values(counted).reduce((all, one) => all + one, 0);
}
