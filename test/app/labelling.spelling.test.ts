import { afterEach, expect, test } from 'vitest';
import { type AppDesk, openAppDesk } from './app-desk.ts';
import { endJobs } from './end-jobs.ts';

const QUARTER_MS = 15 * 60_000;

let desk: AppDesk;
afterEach(async () => {
  await endJobs(desk);
  await desk.close();
});

async function open(label?: string): Promise<number> {
  desk = await openAppDesk({ settings: label ? { label } : {} });
  return desk.olivia.openIssue({ title: 'Make it', body: 'Make it so.' });
}

const states = async () =>
  Promise.all(
    (await desk.store.runs.inPhase('working', 'waiting')).map(async (run) => (await desk.state(run)).status),
  );

test.each([
  { made: 'Autobuild', named: undefined },
  { made: 'autobuild', named: 'AutoBuild' },
])(
  'C-2: a label spelt $made starts a run where $named is asked for, and taken off it ends it',
  async ({ made, named }) => {
    const issue = await open(named);
    await desk.olivia.label(issue, made);
    await desk.settle();
    expect(await states()).toEqual(['pending']);
    await desk.reconcile();
    expect(await states()).toEqual(['pending']);
    await desk.olivia.unlabel(issue, made);
    await desk.settle();
    expect(await states()).toEqual([]);
  },
);

test('R-1: one whose webhook was lost is found, and so is that it was taken off', async () => {
  const issue = await open();
  desk.loseWebhooks(true);
  await desk.olivia.label(issue, 'Autobuild');
  desk.clock.ms += QUARTER_MS + 1;
  await desk.reconcile();
  expect(await states()).toEqual(['pending']);
  await desk.olivia.unlabel(issue, 'Autobuild');
  desk.clock.ms += QUARTER_MS + 1;
  await desk.reconcile();
  expect(await states()).toEqual([]);
});

test('C-2: labels of an earlier run go, however they are spelt', async () => {
  const issue = await open();
  await desk.olivia.label(issue, 'Autobuild:Stopped');
  await desk.olivia.label(issue, 'Autobuild:RUNNING');
  await desk.olivia.label(issue, 'autobuild');
  await desk.settle();
  expect((await desk.olivia.labels(issue)).toSorted()).toEqual(['Autobuild:RUNNING', 'autobuild']);
});

test('C-2: a label that starts nothing goes, however it is spelt', async () => {
  const issue = await open();
  await desk.person('tina').label(issue, 'AutoBuild');
  await desk.settle();
  expect(await desk.olivia.labels(issue)).toEqual([]);
  expect((await desk.olivia.comments(issue)).at(-1)?.body).toContain('with write access can start a run');
});
