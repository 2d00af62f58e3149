import { join } from 'node:path';
import { writePrivate } from '../src/runner/job/state-dir.ts';
import { withBusyTree } from './busy-tree.ts';
import type { Figure } from './figure.ts';
import { withScratchDirectory } from './scratch-directory.ts';
import { percentile, summarize } from './statistics.ts';

const ROUNDS = 60;
const INPUTS = 'inputs.json';

export const answer: Figure = {
  id: 'answer',
  title: 'answer accepted → frozen agent running with it, p99',
  bar: 200,
  unit: 'ms',
  better: 'lower',
  measure: () =>
    withScratchDirectory(async (folder) => {
      await writePrivate(folder, INPUTS, '{"inputs":{}}\n');
      return withBusyTree([join(folder, INPUTS)], async ({ agent, nextLine }) => {
        const timings: number[] = [];
        for (let at = 0; at < ROUNDS; at += 1) {
          const { running } = await agent.freeze();
          if (running > 0) throw new Error(`${running} processes could not be stopped.`);
          const value = `answer-${at}`;
          const heard = nextLine((line) => line.startsWith('inputs ') && line.includes(`"${value}"`));
          const begin = performance.now();
          const deliver = async () => {
            await writePrivate(folder, INPUTS, `${JSON.stringify({ inputs: { service_url: value } })}\n`);
            await agent.thaw();
          };
          const [end] = await Promise.all([heard, deliver()]);
          timings.push(end - begin);
        }
        return { value: percentile(timings, 0.99), detail: summarize(timings) };
      });
    }),
};
