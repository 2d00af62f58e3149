import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSqliteStore } from '../src/store/sqlite.ts';
import type { Figure } from './figure.ts';
import { startDesk, startJob } from './hosted-job.ts';
import { SAMPLE_RUN } from './sample-run.ts';
import { withScratchDirectory } from './scratch-directory.ts';
import { summarize } from './statistics.ts';

const ROUNDS = 5;

/** Actions asks once, asks again after 7.5 s, and kills 2.5 s later. */
const ACTIONS_MS = 7_500;

export const interrupt: Figure = {
  id: 'interrupt',
  title: 'Actions run cancelled → work of the busy agent saved and job ended, worst',
  bar: ACTIONS_MS,
  unit: 'ms',
  better: 'lower',
  async measure() {
    const timings: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) timings.push(await withScratchDirectory(interruptOnce));
    return { value: Math.max(...timings), detail: summarize(timings) };
  },
};

async function interruptOnce(folder: string): Promise<number> {
  const store = await openSqliteStore({
    file: join(folder, 'desk.db'),
    key: randomBytes(32).toString('base64'),
  });
  const desk = await startDesk(store);
  try {
    const job = await startJob(store, folder, desk.port, ['sh', '-c', 'printf x > begun; exec sleep 60']);
    while (!existsSync(join(job.worktree, 'begun'))) await Promise.race([sleep(10), job.ended]);
    const begun = performance.now();
    job.interrupt();
    await job.closed;
    const ms = performance.now() - begun;
    const { state } = await store.runs.load(SAMPLE_RUN);
    const saved = await store.blobs.get(SAMPLE_RUN, 'checkpoint');
    if (state?.job_live || !saved) throw new Error('The job ended without having saved its work.');
    return ms;
  } finally {
    await desk.close();
    await store.close();
  }
}
