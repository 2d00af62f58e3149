import { afterEach, beforeEach, expect, test } from 'vitest';
import { listComments } from '../../../src/app/reconcile/list-comments.ts';
import { catchUp, hearAtRest, reconcileComments } from '../../../src/app/reconcile/reconcile-comments.ts';
import type { RepositoryRound } from '../../../src/app/reconcile/repository-round.ts';
import type { PlacedRun } from '../../../src/core/ports/run-log.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { changeSecond } from '../change-second.ts';
import { restOnPull } from '../revise-desk.ts';

let desk: AppDesk;
let round: RepositoryRound;
/** Reconcile listed the run while it was at work, just before it came to rest. */
let placed: PlacedRun;

beforeEach(async () => {
  desk = await openAppDesk();
  const { number } = await restOnPull(desk);
  const target = await desk.store.runs.target('r1');
  if (!target) throw new Error('there is no target');
  const github = await desk.deps.github(target);
  const attempt: RepositoryRound['attempt'] = (_, work) => work().then(() => true);
  round = { deps: desk.deps, github, polled: {}, mayRead: () => true, attempt };
  placed = { run: 'r1', target, pull: number, phase: 'working' };
});
afterEach(() => desk.close());

async function cancelUnheard(): Promise<number> {
  desk.loseWebhooks(true);
  const { id } = await desk.olivia.comment(placed.target.issue, '/cancel');
  await desk.settle();
  desk.loseWebhooks(false);
  return id;
}

test('R-1: a command in the list that is read just after its run came to rest is read again for the next round', async () => {
  const read = async () => {
    const listed = await listComments(round, [placed]);
    if (listed) await reconcileComments(round, [placed], listed);
  };
  await read();
  const id = await cancelUnheard();
  await read();
  expect(await desk.store.runs.wasSeen(`comment:${id}`)).toBe(false);
  await desk.olivia.comment(placed.target.issue, '/guide Use a label');
  await desk.settle();
  expect((await desk.state()).revision).toBeDefined();
  await read();
  expect(await desk.store.runs.wasSeen(`comment:${id}`)).toBe(true);
});

test('R-1: what a first list has of a run that just came to rest does not count as read', async () => {
  const { issue } = placed.target;
  const id = await cancelUnheard();
  const listed = await listComments(round, [placed]);
  if (!listed) throw new Error('there is no list');
  expect(listed.covered.map(({ number }) => number)).toEqual([issue, placed.pull]);
  await reconcileComments(round, [placed], listed);
  expect(await desk.store.runs.wasSeen(`comment:${id}`)).toBe(false);
  expect((await desk.store.cursors.get('run', 'r1'))?.comments?.[issue]).toBeUndefined();
});

test('R-1: what is read on its own just after its run came to rest does not count as read', async () => {
  const { issue } = placed.target;
  const readUntil = async () => (await desk.store.cursors.get('run', 'r1'))?.comments?.[issue];
  await catchUp(round, placed, issue, true);
  const before = await readUntil();
  await cancelUnheard();
  await catchUp(round, placed, issue, true);
  expect(before).toBeDefined();
  expect(await readUntil()).toBe(before);
});

test.each(['issue', 'pull request'])(
  'R-1: a command on the %s of a run that rests, whose webhook was lost, is heard by the next round, once',
  async (where) => {
    desk.clock.ms += 16 * 60_000;
    await desk.reconcile();
    const number = where === 'issue' ? placed.target.issue : (placed.pull ?? 0);
    // The round before has read this one.
    await changeSecond();
    desk.loseWebhooks(true);
    await desk.olivia.comment(number, '/guide Use a label');
    await desk.settle();
    for (let time = 0; time < 2; time += 1) {
      desk.clock.ms += 16 * 60_000;
      await desk.reconcile();
      await desk.settle();
    }
    expect((await desk.state()).revision ?? (await desk.state()).asked_revisions).toBeDefined();
    expect(await desk.waysOfCommands()).toEqual(['comment']);
  },
);

test('R-13: status and label of a run that rests come back, though nobody told that they were removed', async () => {
  const { issue } = placed.target;
  const statuses = async () =>
    (await desk.olivia.comments(issue)).filter(({ body }) => body.includes('autobuild:status '));
  const look = async () => {
    desk.clock.ms += 16 * 60_000;
    await desk.reconcile();
    await desk.settle();
  };
  await look();
  const [status] = await statuses();
  const [label = ''] = (await desk.olivia.labels(issue)).filter((name) => name.startsWith('autobuild:'));
  await changeSecond();
  desk.loseWebhooks(true);
  await desk.github.upstream('DELETE', `/repos/olivia/shop/issues/comments/${status?.id}`);
  await desk.olivia.unlabel(issue, label);
  await desk.settle();
  expect(await statuses()).toEqual([]);
  for (let time = 0; time < 2; time += 1) await look();
  expect(await statuses()).toHaveLength(1);
  expect(await desk.olivia.labels(issue)).toContain(label);
});

test('R-8: a command that was meant for a run that a newer one has replaced does nothing to the newer one', async () => {
  const { issue, repo_id } = placed.target;
  desk.clock.ms += 16 * 60_000;
  await desk.reconcile();
  await changeSecond();
  desk.loseWebhooks(true);
  await desk.olivia.comment(issue, '/cancel');
  await desk.settle();
  desk.loseWebhooks(false);
  await changeSecond();
  await desk.olivia.unlabel(issue, 'autobuild');
  await desk.olivia.label(issue, 'autobuild');
  await desk.settle();
  const newer = (await desk.store.runs.ofIssue(repo_id, issue)) ?? '';
  expect(newer).not.toBe('r1');
  for (let time = 0; time < 2; time += 1) {
    desk.clock.ms += 16 * 60_000;
    await desk.reconcile();
    await desk.settle();
  }
  expect((await desk.state(newer)).status).not.toBe('cancelled');
});

test('R-1: a command on a run that rests is heard in the next round after its reading was put off, once', async () => {
  const { issue } = placed.target;
  const id = await cancelUnheard();
  const resting: PlacedRun = { ...placed, phase: 'resting' };
  const changed = new Date(desk.clock.ms).toISOString();
  const look = (mayRead: boolean) =>
    hearAtRest({ ...round, mayRead: () => mayRead }, resting, issue, changed);
  const readUntil = async () => (await desk.store.cursors.get('run', 'r1'))?.comments?.[issue];
  await look(false);
  expect(await desk.store.runs.wasSeen(`comment:${id}`)).toBe(false);
  await look(true);
  expect(await desk.store.runs.wasSeen(`comment:${id}`)).toBe(true);
  expect(await readUntil()).toBeDefined();
  desk.exchanges.length = 0;
  await look(true);
  expect(desk.exchanges).toEqual([]);
});
