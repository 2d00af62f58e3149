import { expect, test } from 'vitest';
import { actAndSettle } from '../published-run.ts';
import { pushFiles } from '../revise-desk.ts';
import { useReviseScene } from '../revise-scene.ts';

const scene = useReviseScene();
const { begin, finish } = scene;
const pushByHand = () => pushFiles(scene.desk, scene.branch, { 'by-hand.txt': 'x\n' });

/** How many comments tell of it. */
async function fail(): Promise<number> {
  const { desk, work } = scene;
  const failed = { name: 'e2e', conclusion: 'failure' } as const;
  await desk.github.ci.report(await work.head(), { workflow: 'ci.yml', runs: [failed] });
  await desk.settle();
  const said = await desk.olivia.comments(work.number);
  return said.filter(({ body }) => body.includes(':ci ') && body.includes('CI fails on')).length;
}

test('V-7: CI that fails on a round on top of the commit of a person is told', async () => {
  await pushByHand();
  await begin('/guide Use a constant');
  await finish();
  expect(await fail()).toBe(1);
});

test('V-7: CI that somebody let run on their own commit by the box is told, too', async () => {
  const { desk, work } = scene;
  await pushByHand();
  await desk.perform({ type: 'describe_pull' });
  await actAndSettle(desk, 'pull_request', async () => desk.person('walter').tickRunCi(await work.pull()));
  expect(await fail()).toBe(1);
});

test('V-7: CI that fails on the commit of a person is for its author to look after', async () => {
  await pushByHand();
  expect(await fail()).toBe(0);
});
