import { expect, test } from 'vitest';
import { describeBroken, findBroken } from './find-broken.ts';
import { emptySqliteStore } from './sqlite-store.ts';

const BROKEN = { seed: 4, broken: ['R-2: twice'], trace: [], faults: [], steps: 0 };

test('R-2: the command that is printed plays the same history: seed, store and clocks', () => {
  const commandAt = (place: Parameters<typeof describeBroken>[1]) =>
    describeBroken(BROKEN, place).split('\n').at(-1);
  expect(commandAt({ store: 'sqlite' })).toBe('See its history: npx node test/simulation/run.ts 4 1');
  expect(commandAt({ store: 'postgres', skews: [-10_000, 10_000] })).toBe(
    'See its history: npx node test/simulation/run.ts 4 1 --store postgres --skews=-10000,10000',
  );
});

test('R-1: a history on a store that hears nothing is found broken and shrunk', async () => {
  const broken = await findBroken(2, {
    store: 'sqlite',
    async emptyStore(world) {
      const store = await emptySqliteStore(world);
      return { ...store, inbox: { ...store.inbox, claim: async () => undefined } };
    },
  });
  expect(broken).toContain('seed 2 breaks:\n');
  expect(broken).toContain('with 0 faults: none');
});
