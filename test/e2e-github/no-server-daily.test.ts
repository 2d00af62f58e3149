import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openScene, type Scene, standardFiles } from './scene.ts';
import { until } from './until.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const REMINDERS = join(import.meta.dirname, '../../templates/reminders.yml');
/** A moment, so that another reminder is due whenever somebody looks. */
const CONFIG = 'waiting:\n  remind_minutes: 0.001\n  remind_high_minutes: 0.001\n';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({
    desk: 'Actions',
    files: {
      ...standardFiles(CONFIG, 'Actions'),
      '.github/workflows/autobuild-reminders.yml': readFileSync(REMINDERS, 'utf8').replace(
        '# <key>',
        `model_key: \${{ secrets.MODEL_API_KEY }}`,
      ),
    },
  });
});
afterAll(() => scene?.close());

/** The daily round, until its run has ended. */
async function fireDaily() {
  const { workflows } = scene.sandbox.github;
  const before = workflows.runs.length;
  await workflows.fireSchedules();
  await until('the round', () => workflows.runs[before]?.status === 'completed');
  return workflows.runs[before];
}

test('N-1: the daily round reminds of each open question in one job, and takes an answer whose event was lost to the end', async () => {
  const { github, runner } = scene.sandbox;
  const stories = [await scene.begin('keeps-asking'), await scene.begin('keeps-asking')];
  for (const story of stories) {
    await story.question();
    await story.parked();
  }
  const reminders = async () => {
    const all = await Promise.all(stories.map((story) => story.comments()));
    return all.map((comments) => comments.filter(({ body }) => body.includes('autobuild:reminder ')).length);
  };
  const before = await reminders();
  const round = await fireDaily();
  expect(round?.conclusion).toBe('success');
  for (const [index, count] of (await reminders()).entries())
    expect(count).toBeGreaterThan(before[index] ?? 0);
  const jobs = runner.finished.filter(({ run }) => run === round?.id).map(({ job }) => job);
  expect(jobs).toEqual(['desk']);

  const [first, second] = stories;
  github.workflows.route(() => false);
  await scene.olivia.comment(first?.issue ?? 0, '/provide colour=blue');
  await github.heard();
  await github.workflows.settled();
  github.workflows.route(() => true);
  await fireDaily();
  await first?.reached('done');
  await first?.parked();
  const pull = await first?.pullRequest();
  expect(await scene.olivia.file('done.txt', pull?.head.ref ?? '')).toBe('blue\n');
  // The build is a run of the other file, which the round asked for.
  expect(github.workflows.runs.filter(({ inputs }) => inputs.issue === String(first?.issue))).toHaveLength(1);
  await second?.question();
  expect(github.workflows.problems).toEqual([]);
});
