import { setTimeout as sleep } from 'node:timers/promises';
import { type BusyTree, withBusyTree } from './busy-tree.ts';
import type { Figure } from './figure.ts';
import { readMarked } from './marked-processes.ts';
import { percentile, summarize } from './statistics.ts';

const ROUNDS = 120;
const STOP_DEADLINE_MS = 2_000;

export const freeze: Figure = {
  id: 'freeze',
  title: 'trigger → every descendant stopped, p99',
  bar: 100,
  unit: 'ms',
  better: 'lower',
  measure: () =>
    withBusyTree([], async (tree) => {
      const timings: number[] = [];
      let fewest = Number.POSITIVE_INFINITY;
      let late = 0;
      for (let at = 0; at < ROUNDS; at += 1) {
        await tree.nextLine(() => true);
        // Each round freezes the tree at another moment.
        await sleep(at % 23);
        const { ms, processes, looks } = await timeFreeze(tree);
        timings.push(ms);
        fewest = Math.min(fewest, processes);
        if (looks > 1) late += 1;
        await tree.agent.thaw();
      }
      return {
        value: percentile(timings, 0.99),
        detail: { ...summarize(timings), fewest_processes: fewest, rounds_not_stopped_at_first_look: late },
      };
    }),
};

async function timeFreeze({
  agent,
  mark,
}: BusyTree): Promise<{ ms: number; processes: number; looks: number }> {
  const begin = performance.now();
  await agent.freeze();
  for (let looks = 1; performance.now() - begin < STOP_DEADLINE_MS; looks += 1) {
    // A process that is found stopped was stopped when the check began, because nothing wakes up by itself.
    const ms = performance.now() - begin;
    const found = readMarked(mark);
    if (![...found.values()].includes('running')) return { ms, processes: found.size, looks };
    await sleep(1);
  }
  throw new Error(`Processes still ran ${STOP_DEADLINE_MS} ms after the freeze.`);
}
