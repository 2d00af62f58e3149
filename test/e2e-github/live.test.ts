import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isStopped } from '../e2e/processes.ts';
import { processesOf } from './at-work.ts';
import { DESKS, openScene, type Scene, type Story, standardFiles } from './scene.ts';
import { until } from './until.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

describe.each(DESKS)('%s', (desk) => {
  let scene: Scene;
  beforeAll(async () => {
    const files = standardFiles('', desk);
    const config = '.github/autobuild.yml';
    files[config] = files[config]?.replace('hold_minutes: 0', 'hold_minutes: 10') ?? '';
    scene = await openScene({ desk, files });
  });
  afterAll(() => scene?.close());

  /** One line for each process that the agent was. */
  async function expectRed(story: Story, processes: number): Promise<void> {
    const { head } = await story.pullRequest();
    expect(await scene.olivia.file('done.txt', head.ref)).toBe('red\n');
    const seen = await scene.olivia.file('processes.txt', head.ref);
    expect(seen?.trim().split('\n')).toHaveLength(processes);
  }

  if (desk === 'App')
    test('P-2, P-7: an agent that is held gets its answer from a comment, in the same process and the same job', async () => {
      const story = await scene.begin('holds');
      await story.question();
      const [run] = story.runs();
      // The agent alone is told where its values will be.
      const agents = () =>
        processesOf(run?.id ?? 0).filter(({ environment }) => environment.includes('AUTOBUILD_INPUTS='));
      await until('every process of the agent is stopped', () => {
        const found = agents();
        return found.length > 0 && found.every(isStopped);
      });
      expect(story.runs()).toEqual([expect.objectContaining({ status: 'in_progress' })]);

      await scene.olivia.comment(story.issue, '/provide colour=red');
      await story.reached('done');
      expect(story.runs('build')).toEqual([expect.objectContaining({ conclusion: 'success' })]);
      await expectRed(story, 1);
    });

  if (desk === 'Actions')
    test('N-3: a question ends its job at once, however long it may be held; the answer gets a job of its own', async () => {
      const story = await scene.begin('holds');
      await story.question();
      await story.parked();
      await scene.olivia.comment(story.issue, '/provide colour=red');
      await story.reached('done');
      await story.parked();
      expect(story.runs('build')).toHaveLength(2);
      await expectRed(story, 2);
    });
});
