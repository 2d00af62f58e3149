import { afterEach, expect, test } from 'vitest';
import { askOnIssue } from './ask-on-issue.ts';
import { openWorld, type World } from './desk-world.ts';

const DAY_MS = 24 * 60 * 60_000;
const DAILY = { name: 'schedule', payload: { schedule: '23 7 * * *' } };

let world: World;
afterEach(() => world?.close());

const ask = () => askOnIssue(world);

const reminders = async (issue: number) =>
  (await world.comments(issue)).filter((body) => body.startsWith('<!-- autobuild:reminder')).length;

test('N-1: the daily round reminds of every open question, once, and no job follows it', async () => {
  world = await openWorld();
  const issues = [await ask(), await ask()];
  expect(await world.desk(DAILY)).toEqual({ next: 'none' });
  for (const issue of issues) expect(await reminders(issue)).toBe(0);
  world.clock.ms += 2 * DAY_MS;
  expect(await world.desk(DAILY)).toEqual({ next: 'none' });
  for (const issue of issues) expect(await reminders(issue)).toBe(1);
  await world.desk(DAILY);
  for (const issue of issues) expect(await reminders(issue)).toBe(1);
  expect(world.calls).not.toContain('dispatchWorkflow');
});

test('N-1: an answer whose event was lost is read by the daily round, and its job is a run of its own', async () => {
  world = await openWorld();
  const issue = await ask();
  await world.app.olivia.comment(issue, '/provide colour=red');
  world.events();
  world.clock.ms += 2 * DAY_MS;
  expect(await world.desk(DAILY)).toEqual({ next: 'none' });
  expect(await reminders(issue)).toBe(0);
  expect((await world.state(issue)).pending).toBeUndefined();
  expect(world.calls).toContain('dispatchWorkflow');
});

test('N-1: a state that cannot be used fails the daily round only after all others had theirs', async () => {
  world = await openWorld();
  const [broken, sound] = [await ask(), await ask()];
  const tip = world.storage.tips.get(`refs/autobuild/issue-${broken}`);
  if (!tip) throw new Error('there is no state');
  world.storage.blobs.set(tip.entries.state ?? '', Buffer.from('nothing of ours'));
  world.clock.ms += 2 * DAY_MS;
  await expect(world.desk(DAILY)).rejects.toThrow(`#${broken}: `);
  expect(await reminders(sound)).toBe(1);
});

test('N-1: a run that has ended is not opened again, and its label starts no other one once the state is gone', async () => {
  world = await openWorld();
  const issue = await ask();
  await world.app.olivia.comment(issue, '/cancel');
  await world.desks();
  const before = world.storage.calls.swap;
  await world.desk(DAILY);
  expect(world.storage.calls.swap).toBe(before);

  world.clock.ms += 8 * DAY_MS;
  await world.storage.remove(
    `refs/autobuild/issue-${issue}`,
    world.storage.tips.get(`refs/autobuild/issue-${issue}`)?.oid ?? '',
  );
  const told = (await world.comments(issue)).length;
  const round = { name: 'workflow_dispatch', payload: { inputs: { issue: String(issue) } } };
  expect(await world.desk(round)).toEqual({ next: 'none' });
  expect(await world.comments(issue)).toHaveLength(told);
});
