import { mkdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { directBox } from '../src/runner/box/direct-box.ts';
import { helperBox } from '../src/runner/box/helper-box.ts';
import { namespaceBox } from '../src/runner/box/namespace-box.ts';
import { reaperBox } from '../src/runner/box/reaper-box.ts';
import { userBox } from '../src/runner/box/user-box.ts';
import type { Enter } from '../src/runner/process/enter.ts';
import { type BusyTree, withBusyTree } from './busy-tree.ts';
import type { Figure } from './figure.ts';
import { readMarked } from './marked-processes.ts';
import { withScratchDirectory } from './scratch-directory.ts';
import { percentile, round, summarize } from './statistics.ts';

const ROUNDS = 120;
const STOP_DEADLINE_MS = 2_000;

/** The bar holds at every level of isolation that this machine can make. The others are named as not run. */
export const freeze: Figure = {
  id: 'freeze',
  title: 'trigger → every descendant stopped, p99 at the slowest level',
  bar: 100,
  unit: 'ms',
  better: 'lower',
  measure: () =>
    withScratchDirectory(async (directory) => {
      // A level may give the worktree to another user, so it is none that anybody works in.
      const worktree = join(directory, 'worktree');
      mkdirSync(worktree);
      const plan = { directory, worktree, hidden: [directory], shared: [], readable: [] };
      const detail: Record<string, number | string> = {
        load_before: loadNow(),
      };
      let value = 0;
      for (const attempt of [directBox, reaperBox, namespaceBox, userBox, helperBox]) {
        const box = attempt(plan);
        if ('problem' in box) {
          detail[attempt.name] = `not run: ${box.problem}`;
          continue;
        }
        const { p99, more } = await measureLevel(box.enter);
        value = Math.max(value, p99);
        for (const [name, figure] of Object.entries({ p99_ms: round(p99), ...more }))
          detail[`level_${box.level}_${name}`] = figure;
      }
      return { value, detail: { ...detail, load_after: loadNow() } };
    }),
};

/** A machine with more work than cores stops processes late, whoever asks: the figure means little beside a high load. */
function loadNow(): number {
  return round(loadavg()[0] ?? 0);
}

async function measureLevel(enter: Enter) {
  return withBusyTree(
    [],
    async (tree) => {
      const timings: number[] = [];
      const work: number[] = [];
      let fewest = Number.POSITIVE_INFINITY;
      let late = 0;
      for (let at = 0; at < ROUNDS; at += 1) {
        await tree.nextLine(() => true);
        // Each round freezes the tree at another moment.
        await sleep(at % 23);
        const before = process.threadCpuUsage();
        const { ms, processes, looks } = await timeFreeze(tree, () => {
          const { user, system } = process.threadCpuUsage(before);
          work.push((user + system) / 1000);
        });
        timings.push(ms);
        fewest = Math.min(fewest, processes);
        if (looks > 1) late += 1;
        await tree.agent.thaw();
      }
      const p99 = percentile(timings, 0.99);
      const cpu = round(percentile(work, 0.5));
      const more = {
        ...summarize(timings),
        own_cpu_p50_ms: cpu,
        fewest_processes: fewest,
        not_stopped_at_first_look: late,
      };
      return { p99, more };
    },
    enter,
  );
}

async function timeFreeze(
  { agent, mark }: BusyTree,
  onReturn: () => void,
): Promise<{ ms: number; processes: number; looks: number }> {
  const begin = performance.now();
  await agent.freeze();
  onReturn();
  for (let looks = 1; performance.now() - begin < STOP_DEADLINE_MS; looks += 1) {
    // A process that is found stopped was stopped when the check began, because nothing wakes up by itself.
    const ms = performance.now() - begin;
    const found = readMarked(mark);
    if (![...found.values()].includes('running')) return { ms, processes: found.size, looks };
    await sleep(1);
  }
  throw new Error(`Processes still ran ${STOP_DEADLINE_MS} ms after the freeze.`);
}
