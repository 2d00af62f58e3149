import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isStopped, processesWith } from '../e2e/processes.ts';
import { openScene, type Scene, standardFiles } from './scene.ts';
import { until } from './until.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

let scene: Scene;
beforeAll(async () => {
  const files = standardFiles();
  const config = '.github/autobuild.yml';
  files[config] = files[config]?.replace('hold_minutes: 0', 'hold_minutes: 10') ?? '';
  scene = await openScene({ files });
});
afterAll(() => scene?.close());

test('P-2, P-7: an agent that is held gets its answer from a comment, in the same process and the same job', async () => {
  const story = await scene.begin('holds');
  await story.question();
  const [run] = story.runs();
  // The agent alone is told where its values will be.
  const agents = () =>
    processesWith(`RUNNER_TRACKING_ID=sandbox_${run?.id}`).filter(({ environment }) =>
      environment.includes('AUTOBUILD_INPUTS='),
    );
  await until('every process of the agent is stopped', () => {
    const found = agents();
    return found.length > 0 && found.every(isStopped);
  });
  expect(story.runs()).toEqual([expect.objectContaining({ status: 'in_progress' })]);

  await scene.olivia.comment(story.issue, '/provide colour=red');
  await story.reached('done');
  expect(story.runs('build')).toEqual([expect.objectContaining({ conclusion: 'success' })]);
  const pull = await story.pullRequest();
  expect(await scene.olivia.file('done.txt', pull.head.ref)).toBe('red\n');
  const processes = await scene.olivia.file('processes.txt', pull.head.ref);
  expect(processes?.trim().split('\n')).toHaveLength(1);
});
