import { afterEach, expect, test } from 'vitest';
import { performEffect } from '../../../src/app/effects/perform-effect.ts';
import { dispatchedMark, verificationMark } from '../../../src/core/ports/job-api.ts';
import { PASSING, startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const dispatch = (id: string, run: string) =>
  performEffect(desk.deps, { id, run, effect: { type: 'dispatch_job' } });

test('R-6: commands while a job waits for its runner start no second one', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.begin();
  for (const text of ['/guide One', '/guide Two']) {
    await desk.olivia.comment(issue, text);
    await desk.settle();
  }
  expect(desk.github.workflows.runs).toHaveLength(1);
});

test('R-2: a dispatch whose answer was lost is found by its name instead of made twice', async () => {
  desk = await openAppDesk();
  const { run } = await desk.begin();
  const [first] = desk.github.workflows.runs;
  await desk.store.marks.set(
    `dispatched:${run}`,
    JSON.stringify({ kind: 'build', at: '2026-01-01T00:00:00Z' }),
  );
  await dispatch(first?.inputs.operation ?? '', run);
  expect(desk.github.workflows.runs).toHaveLength(1);
  expect(JSON.parse((await desk.store.marks.get(`dispatched:${run}`)) ?? '')).toMatchObject({
    actions_run: first?.id,
  });
});

test('R-2: it is found also where the desk’s clock is ahead of GitHub’s', async () => {
  desk = await openAppDesk();
  desk.clock.ms += 45_000;
  const { run } = await desk.begin();
  const [first] = desk.github.workflows.runs;
  await desk.store.marks.set(
    `dispatched:${run}`,
    JSON.stringify({ kind: 'build', at: '2026-01-01T00:00:00Z' }),
  );
  await dispatch(first?.inputs.operation ?? '', run);
  expect(desk.github.workflows.runs).toHaveLength(1);
});

test('a job that ended without having begun is followed by another one', async () => {
  desk = await openAppDesk();
  const { run } = await desk.begin();
  const [first] = desk.github.workflows.runs;
  const ended = { kind: 'build', job: 1, actions_run: first?.id, at: '2026-01-01T00:00:00Z', ended: true };
  await desk.store.marks.set(`dispatched:${run}`, JSON.stringify(ended));
  await dispatch('another', run);
  expect(desk.github.workflows.runs).toHaveLength(2);
});

test('the desk remembers which Actions run a ticket was given to, and which verification it is for', async () => {
  desk = await openAppDesk();
  const run = startRun({ freshVerification: true, startMs: Date.now() - 3_600_000 });
  run.turn({ report: { status: 'implemented', summary: 'x' }, verification: PASSING });
  await desk.seed(run);
  const started = desk.github.workflows.runs.find(({ inputs }) => inputs.kind === 'verify');
  const hash = desk.deps.hash(started?.inputs.ticket ?? '');
  expect(await desk.store.marks.get(dispatchedMark(hash))).toBe(String(started?.id));
  expect(await desk.store.marks.get(verificationMark(hash))).toBe('1.1');
});
