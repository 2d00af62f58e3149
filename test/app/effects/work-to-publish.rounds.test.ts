import { afterEach, beforeEach, expect, test } from 'vitest';
import { PASSING, startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { putChangeset } from '../published-run.ts';
import { finishRound, giveValue, takeRound } from '../revise-desk.ts';

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
