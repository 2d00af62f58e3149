import { afterEach, expect, test } from 'vitest';
import type { RunTarget } from '../../../src/core/ports/run-target.ts';
import { PASSING, startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { publishRun } from '../published-run.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const MINUTE_MS = 60_000;

async function rest(target: Partial<RunTarget> = {}, deps = {}) {
  desk = await openAppDesk({ deps });
  const report = { status: 'implemented', summary: 'Added the form' };
  const run = startRun({ startMs: Date.now() - 3_600_000 }).turn({ report, verification: PASSING });
  const work = await publishRun(desk, { run, target });
  desk.loseWebhooks(true);
  return { number: (await work.pull()).number, sha: await work.head() };
}

async function said(number: number): Promise<string[]> {
  return (await desk.olivia.comments(number)).map(({ body }) => body).filter((body) => body.includes(':ci '));
}

const asksForCi = () =>
  desk.exchanges.filter(({ call }) => String(call.body.query).includes('checkType: ALL')).length;

/** Looks again and again, less often than the server does, which would find the same. */
async function lookFor(times: number, minutes = 5): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    desk.clock.ms += minutes * MINUTE_MS;
    await desk.reconcile();
  }
}

test('V-7: a failure whose webhooks were lost is found, once', async () => {
  const { number, sha } = await rest();
  await desk.github.ci.report(sha, { workflow: 'ci.yml', runs: [{ name: 'e2e', conclusion: 'failure' }] });
  await lookFor(4);
  expect(await said(number)).toEqual([expect.stringContaining('CI fails on')]);
  const before = asksForCi();
  await lookFor(2);
  expect(asksForCi()).toBe(before);
});

test('V-7: CI that never comes is asked for ever less often, and then not at all', async () => {
  await rest();
  await lookFor(12);
  const inAnHour = asksForCi();
  expect(inAnHour).toBeGreaterThan(1);
  expect(inAnHour).toBeLessThan(6);
  desk.clock.ms += 24 * 60 * MINUTE_MS;
  await lookFor(24, 61);
  expect(asksForCi()).toBe(12);
});

test('V-7: a desk that hears of no CI reads it when somebody says something first, and as often as it takes', async () => {
  const { number, sha } = await rest({}, { later: undefined });
  await desk.reconcile();
  expect(asksForCi()).toBe(1);
  await lookFor(20, 61);
  expect(asksForCi()).toBe(21);
  await desk.github.ci.report(sha, { workflow: 'ci.yml', runs: [{ name: 'e2e', conclusion: 'failure' }] });
  await lookFor(1, 16);
  expect(await said(number)).toEqual([expect.stringContaining('CI fails on')]);
});

test('V-7: no CI because of a conflict is said as what it is, unless the commit skips CI', async () => {
  const skipping = await rest();
  desk.github.ci.conflict(skipping.number);
  await lookFor(8);
  expect(await said(skipping.number)).toEqual([]);
  await desk.close();
  const { number, sha } = await rest({ ci: 'always' });
  desk.github.ci.conflict(number);
  await lookFor(8);
  expect(await said(number)).toEqual([
    expect.stringContaining(
      `CI did not run on \`${sha.slice(0, 7)}\`: the pull request conflicts with \`main\``,
    ),
  ]);
});
