import { expect, test } from 'vitest';
import type { Effect } from '../../../src/core/contracts/effect.ts';
import type { Input } from '../../../src/core/contracts/input.ts';
import type { RunEvent } from '../../../src/core/contracts/run-event.ts';
import type { RunState } from '../../../src/core/contracts/run-state.ts';
import { createDesk } from '../../../src/core/decide/desk.ts';
import { evolve } from '../../../src/core/decide/evolve.ts';
import type { Commit, RunStore } from '../../../src/core/ports/ports.ts';
import { RULES } from '../../../src/guards/rules.ts';
import { Run } from '../run-builder.ts';

/** A store in memory. `before` runs ahead of each commit: another desk may be faster. */
function memoryStore(before: (store: RunStore) => Promise<void> = async () => undefined) {
  const commits: Commit[] = [];
  let state: RunState | undefined;
  const store: RunStore = {
    load: async () => ({ version: commits.length, state }),
    async commit(_run, expected, commit) {
      if (expected !== commits.length) return { ok: false };
      commits.push(commit);
      for (const event of commit.events) state = evolve(state, event);
      return { ok: true, version: commits.length };
    },
  };
  let busy = false;
  const contended: RunStore = {
    load: store.load,
    async commit(run, expected, commit) {
      if (!busy) {
        busy = true;
        await before(store);
        busy = false;
      }
      return store.commit(run, expected, commit);
    },
  };
  return { store: contended, commits };
}

function openDesk(store: RunStore) {
  const seen: { events: RunEvent[]; effects: Effect[] } = { events: [], effects: [] };
  const desk = createDesk({
    store,
    rules: RULES,
    onEvents: (events) => seen.events.push(...events),
    perform: async (effect) => void seen.effects.push(effect),
  });
  return { desk, ...seen };
}

const request = (): Input => new Run().commits[0]?.input ?? expect.fail();
const command = (name: 'cancel' | 'pause', by: string): Input => ({
  type: 'command',
  at: '2026-11-16T10:00:00.000Z',
  command: { name },
  by,
  via: 'comment',
});

test('an input is journalled with what it led to before any effect is performed', async () => {
  const { store, commits } = memoryStore();
  const journalled: number[] = [];
  const desk = createDesk({
    store,
    rules: RULES,
    onEvents: () => undefined,
    perform: async () => void journalled.push(commits.length),
  });
  const state = await desk.handleOnce('r1', request());
  expect(state.status).toBe('pending');
  expect(commits).toMatchObject([{ input: { type: 'request' }, events: [{ type: 'run_requested' }] }]);
  expect(journalled).toEqual([1, 1]);
});

test('R-7: two answers at once: the loser decides again on what the winner left', async () => {
  let raced = false;
  const { store, commits } = memoryStore(async (direct) => {
    if (raced || commits.length === 0) return;
    raced = true;
    await openDesk(direct).desk.handleOnce('r1', command('cancel', 'lee'));
  });
  const { desk, effects } = openDesk(store);
  await desk.handleOnce('r1', request());
  const state = await desk.handleOnce('r1', command('cancel', 'rosa'));
  expect(raced).toBe(true);
  expect(state.finished?.by).toBe('lee');
  expect(commits.flatMap(({ events }) => events.map((event) => event.type))).toEqual([
    'run_requested',
    'run_finished',
    'command_refused',
  ]);
  expect(effects.at(-1)).toMatchObject({ type: 'reply', reply: { title: expect.stringContaining('lee') } });
});

test('a store that always changes under the decision is a fault, found after a bounded number of tries', async () => {
  let tries = 0;
  const desk = openDesk({
    load: async () => ({ version: 0, state: undefined }),
    async commit() {
      tries += 1;
      return { ok: false };
    },
  }).desk;
  await expect(desk.handleOnce('r1', request())).rejects.toThrow(/r1 changed 20 times/);
  expect(tries).toBe(20);
});

test('nothing is journalled for a run that does not exist', async () => {
  const { store, commits } = memoryStore();
  const { desk } = openDesk(store);
  await expect(desk.handleOnce('r9', command('pause', 'rosa'))).rejects.toThrow('There is no run r9');
  await expect(desk.state('r9')).rejects.toThrow('There is no run r9');
  expect(commits).toEqual([]);
});
