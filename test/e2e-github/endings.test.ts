import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { atWork, processesOf } from './at-work.ts';
import { DESKS, openScene, type Scene } from './scene.ts';
import { until } from './until.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

describe.each(DESKS)('%s', (desk) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ desk, jobs: 'processes' });
  });
  afterAll(() => scene?.close());

  test('C-6: removing the label cancels, and the job stops with everything it started', async () => {
    const story = await scene.begin('sleeps');
    const run = await atWork(story);
    await scene.olivia.unlabel(story.issue, 'autobuild');
    await story.reached('stopped');
    await story.parked();
    // The App stops it by its orders, so that the work is saved, and cancels the Actions run only if it does not end.
    const conclusion = desk === 'App' ? 'success' : 'cancelled';
    expect(story.runs('build')).toEqual([expect.objectContaining({ conclusion })]);
    await until('nothing of it runs', () => processesOf(run).length === 0);
    await story.comment(':status ', 'ancelled');
  });

  test('C-6: the pull request’s fate is the run’s: merged is approved', async () => {
    const story = await scene.begin('makes');
    await story.reached('done');
    const { number } = await story.pullRequest();
    await scene.olivia.merge(number);
    await story.comment(':status ', 'Done: merged');
  });

  test('a job that dies is followed by another one', async () => {
    const story = await scene.begin('sleeps');
    const run = await atWork(story);
    for (const { pid } of processesOf(run)) killIfThere(pid);
    await until('a second job', () => story.runs('build').length === 2);
    await scene.olivia.closeIssue(story.issue);
    await story.reached('stopped');
    await story.parked();
  });
});

/** It may have ended since it was listed: the agent's own short commands do. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
