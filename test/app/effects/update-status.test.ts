import { afterEach, expect, test } from 'vitest';
import { startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { endJobs } from '../end-jobs.ts';

let desk: AppDesk;
afterEach(async () => {
  await endJobs(desk);
  await desk.close();
});

test('C-2: one label says how the newest run stands, whatever earlier runs left there; other labels stay', async () => {
  desk = await openAppDesk();
  const { issue, run } = await desk.begin();
  const labels = async () => (await desk.olivia.labels(issue)).toSorted();
  await desk.olivia.label(issue, 'autobuild:ours');
  expect(await labels()).toEqual(['autobuild', 'autobuild:ours', 'autobuild:running']);
  await desk.olivia.comment(issue, '/cancel');
  await desk.settle();
  expect(await labels()).toEqual(['autobuild', 'autobuild:ours', 'autobuild:stopped']);
  await desk.olivia.unlabel(issue, 'autobuild');
  await desk.settle();
  await desk.olivia.label(issue, 'autobuild');
  await desk.settle();
  expect(await labels()).toEqual(['autobuild', 'autobuild:ours', 'autobuild:running']);
  // What is left to write of the earlier run changes nothing.
  await desk.store.publications.change(run, { label: '' });
  await desk.perform({ type: 'update_status' }, { run });
  expect(await labels()).toEqual(['autobuild', 'autobuild:ours', 'autobuild:running']);
});

test('C-2: a label whose change was cut short does not stay when the run is back in the state before', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.begin();
  const labels = async () => (await desk.olivia.labels(issue)).toSorted();
  desk.interfere(({ method }) =>
    method === 'DELETE' ? { status: 403, body: { message: 'Not now' } } : undefined,
  );
  await desk.olivia.comment(issue, '/pause');
  await desk.settle();
  expect(await labels()).toEqual(['autobuild', 'autobuild:running', 'autobuild:waiting']);
  desk.interfere(() => undefined);
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  expect(await labels()).toEqual(['autobuild', 'autobuild:running']);
});

test('R-14: progress within fifteen seconds is one edit of the status, and none of it is left out', async () => {
  desk = await openAppDesk();
  const { issue, run } = await desk.begin();
  const status = async () =>
    (await desk.olivia.comments(issue)).find(({ body }) => body.includes(':status '))?.body;
  const before = await status();
  await desk.claim(4_000_002, 1, 'build', run);
  await desk.perform({ type: 'update_status' }, { run });
  expect(await status()).toBe(before);
  desk.clock.ms += 15_000;
  await desk.perform({ type: 'update_status' }, { run });
  expect(await status()).not.toBe(before);
});

test('R-13: the status says that the job sets up, until it works', async () => {
  desk = await openAppDesk();
  const { issue, run } = await desk.begin();
  const headline = async () => {
    desk.clock.ms += 15_000;
    await desk.perform({ type: 'update_status' }, { run });
    const status = (await desk.olivia.comments(issue)).find(({ body }) => body.includes(':status '));
    return /^### (.*)$/m.exec(status?.body ?? '')?.[1];
  };
  expect(await headline()).toBe('▶ Building: a job is starting, nothing needed from you');
  await desk.claim(4_000_002, 1, 'build', run);
  const { op = '', working_at } = (await desk.dispatch(1, 'build', run)) ?? {};
  await desk.store.dispatches.change(op, { working_at: undefined });
  expect(await headline()).toBe('▶ Building: the job is setting up, nothing needed from you');
  await desk.store.dispatches.change(op, { working_at });
  expect(await headline()).toBe('▶ Building: a job is starting, nothing needed from you');
});

test('R-14, E-16: the question is written at once; the status follows when the job has left, or after five seconds', async () => {
  desk = await openAppDesk();
  const run = startRun().setClock(new Date(desk.clock.ms).toISOString()).beginTurn();
  const { issue } = await desk.seed(run);
  run.askForHelp();
  desk.clock.ms = Date.parse(run.asked.created_at) + 1_000;
  const isWaiting = async () => (await desk.olivia.labels(issue)).includes('autobuild:waiting');
  await desk.seed(run);
  expect(
    (await desk.olivia.comments(issue)).filter(({ body }) => body.includes(':escalation ')),
  ).toHaveLength(1);
  expect(await isWaiting()).toBe(false);
  desk.clock.ms += 4_000;
  await desk.settle();
  expect(await isWaiting()).toBe(true);
});
