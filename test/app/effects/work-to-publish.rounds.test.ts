import { afterEach, beforeEach, expect, test } from 'vitest';
import { PASSING, startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { putChangeset } from '../published-run.ts';
import { pushToMain } from '../revise/push-to-main.ts';
import { finishRound, giveValue, restOnPull, takeRound } from '../revise-desk.ts';

let desk: AppDesk;
beforeEach(async () => {
  desk = await openAppDesk();
});
afterEach(() => desk?.close());

const REPORT = { status: 'implemented', summary: 'Added the form' };
const MINUTE_MS = 60_000;

test('V-1: values of the build, which are deleted, are not demanded of the work of a later round', async () => {
  const run = startRun({ startMs: Date.now() - MINUTE_MS });
  const { issue } = await desk.seed(run);
  await giveValue(desk, { issue }, run);
  await putChangeset(desk, 'one\n');
  await desk.seed(run.turn({ report: REPORT, verification: PASSING }).park());
  const { pull, unpublished } = await desk.store.publications.of('r1');
  expect({ unpublished, isOpen: pull !== undefined }).toEqual({ unpublished: null, isOpen: true });
  await desk.person('walter').comment(pull ?? 0, '/guide Use a constant');
  await desk.settle();
  await finishRound(desk, await takeRound(desk, run), { text: 'two\n' });
  expect((await desk.store.publications.of('r1')).unpublished).toBeNull();
  expect(await desk.olivia.file('src/login.ts', `autobuild/issue-${issue}`)).toBe('two\n');
});

test('V-6: a merge from which a file of the pull request is left out is not committed in part', async () => {
  const work = await restOnPull(desk);
  const head = await work.head();
  await pushToMain(desk, 'README.md', 'of main\n');
  await desk.person('walter').comment(work.number, '/continue update');
  await desk.settle();
  const { merge, ...saved } = JSON.parse(
    new TextDecoder().decode(await desk.store.blobs.get('r1', 'changeset')),
  ) as Record<string, object>;
  const left_out = [{ path: 'src/login.ts', problem: 'it is too large' }];
  const partial = JSON.stringify({ ...saved, files: [], left_out, merge: { ...merge, done: true } });
  await desk.store.blobs.put('r1', 'changeset', new TextEncoder().encode(partial));
  for (const command of ['/pause', '/accept']) {
    await desk.olivia.comment(work.issue, command);
    await desk.settle();
  }
  expect((await desk.state()).status).toBe('reviewing');
  expect(await work.head()).toBe(head);
  expect((await desk.store.publications.of('r1')).unpublished).toMatchObject({
    why: 'a merge cannot be committed in part',
    detail: expect.stringContaining('src/login.ts: it is too large'),
  });
});
