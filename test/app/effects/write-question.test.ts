import { afterEach, expect, test } from 'vitest';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const ours = async (issue: number, ...texts: string[]) =>
  (await desk.olivia.comments(issue)).filter(({ body }) => texts.every((text) => body.includes(text)));
const folded = async (issue: number, ...texts: string[]) =>
  (await ours(issue, ...texts)).map(({ node_id }) => desk.github.minimized.has(node_id));

test('an answered question stays in sight until the next one is asked; then it is folded away, once', async () => {
  desk = await openAppDesk();
  const run = askingRun(['colour']);
  const { issue } = await desk.seed(run);
  run.say('/guide Take any');
  await desk.seed(run);
  expect(await folded(issue, ' esc=1 ')).toEqual([false]);
  await desk.seed(run.take().askForHelp([{ key: 'size' }]));
  expect(await folded(issue, ' esc=1 ')).toEqual([true]);
  expect(await folded(issue, ' esc=2 ')).toEqual([false]);
  const asked = () =>
    desk.exchanges.filter(({ call }) => JSON.stringify(call.body).includes('minimizeComment(')).length;
  expect(asked()).toBe(1);
  // Asked for again, written again: folded once.
  await desk.olivia.comment(issue, '/provide other=1');
  await desk.settle();
  expect(asked()).toBe(1);
});

test('E-13: the question of an agent that died is folded away at once; the one that repeats it is not', async () => {
  desk = await openAppDesk();
  const run = askingRun(['colour']);
  const { issue } = await desk.seed(run);
  await desk.seed(run.lose());
  expect(await folded(issue, ' esc=1 ', 'asked again')).toEqual([true]);
  expect(await folded(issue, ' esc=2 ')).toEqual([false]);
});

test('an answer folds away the reminder and the review that asked for it; a newer review the older one', async () => {
  desk = await openAppDesk();
  const run = askingRun(['colour']);
  const { issue } = await desk.seed(run);
  run.timer();
  await desk.seed(run);
  run.say('/review');
  run.say('/review');
  await desk.seed(run);
  expect(await folded(issue, 'Review: ')).toEqual([true, false]);
  expect(await folded(issue, ':reminder ')).toEqual([false]);
  run.say('/guide Take any');
  await desk.seed(run);
  expect(await folded(issue, 'Review: ')).toEqual([true, true]);
  expect(await folded(issue, ':reminder ')).toEqual([true]);
});

test('C-3: a tick that comes before the question is written again is neither taken away nor lost', async () => {
  desk = await openAppDesk();
  const run = askingRun(['colour', 'size']);
  const { issue } = await desk.seed(run);
  const [question] = await ours(issue, ' esc=1 ');
  if (!question) throw new Error('nobody was asked');
  desk.loseWebhooks(true);
  await desk.olivia.tick(question, 'accept');
  // One of the two values is there: the question would say so.
  run.say('/provide colour=teal');
  await desk.seed(run);
  const [present] = await ours(issue, ' esc=1 ');
  expect(present?.body).toMatch(/^- \[x\] <!-- autobuild:option id=e1\.accept -->/m);
  desk.loseWebhooks(false);
  await desk.reconcile();
  expect((await desk.state()).finished).toMatchObject({ partial: true, by: 'olivia' });
});
