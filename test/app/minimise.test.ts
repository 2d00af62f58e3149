import { afterEach, expect, test } from 'vitest';
import { type Call, refuse } from '../../src/sandbox/github/gap.ts';
import { type AppDesk, askingRun, openAppDesk } from './app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const isFold = ({ body }: Call) => String(body.query).includes('minimizeComment(');
const folds = () => desk.exchanges.filter(({ call }) => isFold(call)).map(({ answer }) => answer.status);
const folded = async (issue: number, text: string) =>
  (await desk.olivia.comments(issue))
    .filter(({ body }) => body.includes(text))
    .map(({ node_id }) => desk.github.minimized.has(node_id));
const fail = (status: number) =>
  desk.interfere((call) => (isFold(call) ? refuse(status, 'Not now') : undefined));
const heal = async () => {
  desk.interfere(() => undefined);
  desk.clock.ms += 120_000;
  await desk.settle();
};

test.each([502, 429])(
  'R-10: what is outdated at a time when GitHub answers %i is folded away afterwards',
  async (status) => {
    desk = await openAppDesk();
    const run = askingRun(['colour']);
    const { issue } = await desk.seed(run);
    run.say('/guide Take any');
    await desk.seed(run);
    fail(status);
    await desk.seed(run.take().askForHelp([{ key: 'size' }]));
    // The new question does not wait for it.
    expect(await folded(issue, 'op=r1.e2 ')).toEqual([false]);
    expect(await folded(issue, 'op=r1.e1 ')).toEqual([false]);
    await heal();
    expect(await folded(issue, 'op=r1.e1 ')).toEqual([true]);
    expect(await folded(issue, 'op=r1.e2 ')).toEqual([false]);
  },
);

test('R-10: an older review that GitHub did not fold away is folded away afterwards', async () => {
  desk = await openAppDesk();
  const run = askingRun(['colour']);
  const { issue } = await desk.seed(run);
  run.say('/review');
  await desk.seed(run);
  fail(502);
  run.say('/review');
  await desk.seed(run);
  expect(await folded(issue, 'Review: ')).toEqual([false, false]);
  await heal();
  expect(await folded(issue, 'Review: ')).toEqual([true, false]);
});

test('R-10: a fold that GitHub refuses is let go', async () => {
  desk = await openAppDesk();
  const run = askingRun(['colour']);
  const { issue } = await desk.seed(run);
  run.say('/guide Take any');
  await desk.seed(run);
  fail(403);
  await desk.seed(run.take().askForHelp([{ key: 'size' }]));
  await heal();
  expect(folds()).toEqual([403]);
  expect(await folded(issue, 'op=r1.e2 ')).toEqual([false]);
});
