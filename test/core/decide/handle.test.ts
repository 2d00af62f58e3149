import { expect, test } from 'vitest';
import type { RunState } from '../../../src/core/contracts/run-state.ts';
import { handle } from '../../../src/core/decide/handle.ts';
import type { HostedStore } from '../../../src/core/ports/hosted-store.ts';
import { RULES } from '../../../src/guards/rules.ts';
import { startRun } from '../run-builder.ts';

type Runs = HostedStore['runs'];
type Commit = Parameters<Runs['commit']>[2];

/** A store that answers as it is told. */
function storeOf(states: (RunState | undefined)[], answer: Awaited<ReturnType<Runs['commit']>>) {
  const commits: Commit[] = [];
  const runs = {
    load: async () => ({ version: 3, state: states.length > 1 ? states.shift() : states[0] }),
    async commit(_run: string, _version: number, commit: Commit) {
      commits.push(commit);
      return answer;
    },
  };
  return { runs: runs as unknown as Runs, commits };
}

const { state } = startRun().beginTurn();
const pause = {
  type: 'command',
  at: '2026-11-16T10:00:00.000Z',
  command: { name: 'pause' },
  by: 'rosa',
  via: 'comment',
} as const;
const decideFor = (runs: Runs) => handle(runs, RULES, 'r1', pause, { seen: ['comment-1'] });

test('a run that the store does not have gets no decision, and nothing is stored', async () => {
  const { runs, commits } = storeOf([undefined], { ok: true, version: 1, duplicate: false });
  expect(await decideFor(runs)).toBeUndefined();
  expect(commits).toEqual([]);
});

test('what was answered before is not decided again, also when its run is gone by then', async () => {
  const { runs } = storeOf([state, undefined], { ok: true, version: 3, duplicate: true });
  expect(await decideFor(runs)).toMatchObject({ events: [], duplicate: true, state: { run: 'r1' } });
});

test('R-7: a store that always changes under the decision is a fault, found after a bounded number of tries', async () => {
  const { runs, commits } = storeOf([state], { ok: false });
  await expect(decideFor(runs)).rejects.toThrow(/r1 changed 20 times/);
  expect(commits).toHaveLength(20);
});
