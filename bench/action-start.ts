import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CHILD_ENV } from './bench-agent.ts';
import type { Figure } from './figure.ts';
import { withScratchDirectory } from './scratch-directory.ts';
import { median, round } from './statistics.ts';

const ROUNDS = 21;
const ROOT = join(import.meta.dirname, '..');

export const actionStart: Figure = {
  id: 'action-start',
  title: 'action bundle loaded, agent spawned ÷ `node -e 0`',
  bar: 3,
  unit: '×',
  better: 'lower',
  measure: () =>
    withScratchDirectory(async (folder) => {
      runNode([join(ROOT, 'scripts/bundle.mjs'), folder, 'bench/children/start-agent.ts']);
      const timings: { action: number; bare: number; grouped: number; boxed: number }[] = [];
      // The first round warms up the disk cache and is not counted.
      for (let at = 0; at <= ROUNDS; at += 1) {
        const bare = runNode(['-e', '0']);
        const action = runNode([join(folder, 'action.js')]);
        const grouped = runNode([join(folder, 'action.js'), 'group']);
        const boxed = runNode([join(folder, 'action.js'), join(folder, 'box')]);
        if (at > 0) timings.push({ action, bare, grouped, boxed });
      }
      return {
        value: median(timings.map(({ action, bare }) => action / bare)),
        detail: {
          rounds: ROUNDS,
          action_ms: round(median(timings.map(({ action }) => action))),
          // These have no bar, because most of their time is the kernel's: before it moves a process into a group it waits until
          // every core has passed through the scheduler, 10 ms and more.
          with_group_ms: round(median(timings.map(({ grouped }) => grouped))),
          with_group_times: round(median(timings.map(({ grouped, bare }) => grouped / bare))),
          with_box_ms: round(median(timings.map(({ boxed }) => boxed))),
          with_box_times: round(median(timings.map(({ boxed, bare }) => boxed / bare))),
          bare_ms: round(median(timings.map(({ bare }) => bare))),
        },
      };
    }),
};

function runNode(args: string[]): number {
  const begin = performance.now();
  const { status, stderr, error } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env: CHILD_ENV,
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (status !== 0) throw new Error(`node ${args.join(' ')} failed: ${error ?? stderr}`);
  return performance.now() - begin;
}
