import { expect, test } from 'vitest';
import { raceAll } from './desk-races.ts';

const seen: Record<string, number> = {};

test.each([21, 66, 111, 156])(
  'N-2: whole desks that race, killed anywhere, their runs dropped, their ref moved: nothing lost, nothing doubled (45 seeds from %i)',
  async (first) => {
    const { broken, seen: some } = await raceAll(first, 45);
    for (const [what, times] of Object.entries(some)) seen[what] = (seen[what] ?? 0) + times;
    expect(broken).toEqual([]);
  },
);

test('the seeds are about something', () => {
  for (const moment of ['before save', 'after save', 'after an effect', 'before release', 'at any call'])
    expect(seen[`killed ${moment}`], moment).toBeGreaterThan(20);
  for (const what of ['dropped', 'moved', 'waited', 'taken over', 'delivered again', 'ticked', 'cancelled'])
    expect(seen[what], what).toBeGreaterThan(10);
});

test('N-2: the same races notice a lease that is missing', async () => {
  const { broken } = await raceAll(1, 20, { withoutLease: true });
  expect(broken.filter((problem) => problem.includes('written')).length).toBeGreaterThan(3);
});

test('N-2: the same races notice comments that are not looked for before they are written', async () => {
  const { broken } = await raceAll(1, 30, { withoutMarkers: true });
  expect(broken.filter((problem) => problem.includes('written')).length).toBeGreaterThan(3);
});

test('N-2: the same races notice a desk that hears its own event alone', async () => {
  const { broken } = await raceAll(1, 20, { withoutReading: true });
  expect(broken.filter((problem) => problem.includes('lost')).length).toBeGreaterThan(3);
});
