import { expect, test } from 'vitest';
import { SEEDED_ACTIONS_RUN } from '../app-desk.ts';
import { takeRound } from '../revise-desk.ts';
import { useReviseScene } from '../revise-scene.ts';

const scene = useReviseScene();
const cancelled = () =>
  scene.desk.exchanges
    .filter(({ call }) => call.method === 'POST' && call.path.endsWith('/cancel'))
    .map(({ call }) => Number(call.path.split('/').at(-2)));

/** A round whose job is at work. */
async function workOnRound(): Promise<void> {
  await scene.begin('/guide Two lines');
  await scene.desk.seed(await takeRound(scene.desk, scene.work.run));
}

test('R-9: a job that does not obey is cancelled after the cancel of its round, when its grace is over', async () => {
  const { desk, work } = scene;
  await workOnRound();
  await desk.olivia.comment(work.issue, '/cancel');
  await desk.settle();
  expect((await desk.state()).revision).toBeUndefined();
  expect(cancelled()).toEqual([]);
  desk.clock.ms += 21_000;
  await desk.settle();
  expect(cancelled()).toEqual([SEEDED_ACTIONS_RUN]);
});

test('R-9: so it is if the next round begins within the grace', async () => {
  const { desk, work } = scene;
  await workOnRound();
  await desk.olivia.comment(work.issue, '/cancel');
  await desk.settle();
  desk.clock.ms += 5_000;
  await scene.begin('/guide Three lines');
  expect((await desk.state()).revision?.number).toBe(3);
  desk.clock.ms += 21_000;
  await desk.settle();
  expect(cancelled()).toEqual([SEEDED_ACTIONS_RUN]);
});

test('a job whose round is done ends by itself', async () => {
  const { desk } = scene;
  await workOnRound();
  await scene.finish({ run: await takeRound(desk, scene.work.run) });
  desk.clock.ms += 60_000;
  await desk.settle();
  expect(cancelled()).toEqual([]);
});
