import { afterEach, expect, test } from 'vitest';
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
