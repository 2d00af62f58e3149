import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DESKS, openScene, type Scene, standardFiles } from './scene.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

describe.each(DESKS)('%s', (desk) => {
  let scene: Scene;
  beforeAll(async () => {
    const files = standardFiles('guards:\n  max_iterations: 2\n', desk);
    scene = await openScene({ desk, files: { ...files, '.gitignore': 'done.txt\n' } });
  });
  afterAll(() => scene?.close());

  test('G-1: passes in the job and never on a clean checkout: asked at the turn limit, no job more', async () => {
    const story = await scene.begin('leaves-out');
    const { body } = await story.question();
    expect(body).toContain('2 of 2 turns used');
    await story.comment(':status ', '0 of 1 checks pass on a clean checkout');
    await story.parked();
    expect([story.runs('build').length, story.runs('verify').length]).toEqual([2, 2]);
    await scene.olivia.comment(story.issue, '/cancel');
    await story.reached('stopped');
  });
});
