import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { atWork } from './at-work.ts';
import { DESKS, openScene, type Scene } from './scene.ts';
import { until } from './until.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

describe.each(DESKS)('%s', (desk) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ desk, jobs: 'processes' });
  });
  afterAll(() => scene?.close());

  async function headMessage(sha: string): Promise<string> {
    const { body } = await scene.sandbox.github.upstream('GET', `/repos/olivia/shop/git/commits/${sha}`);
    return (body as { message: string }).message;
  }

  test('C-6: a command in a review goes on; the result does not run CI until a writer ticks it, on what they saw', async () => {
    const story = await scene.begin('asks');
    await story.question();
    await story.parked();
    const draft = await story.pullRequest();
    await scene.sandbox.person('walter').review(draft.number, 'REQUEST_CHANGES', '/provide colour=blue');
    await story.reached('done');
    const done = await story.pullRequest();
    expect(done.head.sha).not.toBe(draft.head.sha);
    expect(await scene.olivia.file('done.txt', done.head.ref)).toBe('blue\n');
    // GitHub itself asks before it runs CI of a pull request that Actions opened.
    if (desk === 'Actions') {
      expect(await headMessage(done.head.sha)).not.toContain('[skip ci]');
      expect(done.body).not.toContain('id=ci.');
      return;
    }
    expect(await headMessage(done.head.sha)).toContain('[skip ci]');
    expect(done.body).toContain(`id=ci.${done.head.sha} `);
    await scene.sandbox.person('walter').tickRunCi(done);
    const running = await until('CI runs', async () => {
      const pull = await story.pullRequest();
      return pull.body.includes('✓ CI runs on') && pull;
    });
    expect(running.head.sha).not.toBe(done.head.sha);
    expect(await headMessage(running.head.sha)).not.toContain('[skip ci]');
    expect(await scene.olivia.file('done.txt', running.head.ref)).toBe('blue\n');
  });

  test('a job that somebody cancels on the Actions page stays cancelled: the run is paused until /continue', async () => {
    const story = await scene.begin('sleeps');
    const run = await atWork(story);
    await scene.sandbox.github.callAs('walter', 'POST', `/repos/olivia/shop/actions/runs/${run}/cancel`);
    await story.comment(':reply ', 'cancelled in Actions');
    await story.reached('waiting');
    await story.parked();
    // Its successor was asked for when it saved its work. If that has begun already, it is told to stop, before any turn.
    const [first, ...later] = story.runs();
    expect(first).toMatchObject({ id: run, conclusion: 'cancelled' });
    expect(later.length).toBeLessThan(2);
    const logs = story.jobs().filter((job) => job.run !== run);
    expect(logs.filter(({ log }) => log.includes('::group::Turn'))).toEqual([]);
    await scene.olivia.comment(story.issue, '/cancel');
    await story.reached('stopped');
  });
});
