import { afterEach, beforeEach, expect, test } from 'vitest';
import { webhookPayload } from '../../fixtures/webhooks.ts';
import { request } from '../../store/hosted/commits.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';

let desk: AppDesk;
let issue: number;
let run: string;
beforeEach(async () => {
  desk = await openAppDesk();
  ({ issue, run } = await desk.begin());
});
afterEach(() => desk.close());

const DAY_MS = 24 * 3_600_000;
const REPOSITORY_LABEL = '/repos/olivia/shop/labels/autobuild';
const MINUTE_MS = 60_000;
const isUnderWay = async () => (await desk.state(run)).finished === undefined;

async function hear(event: 'label.deleted' | 'label.edited', payload: object): Promise<void> {
  const { repo_id = 0 } = (await desk.store.runs.target(run)) ?? {};
  const sender = { login: 'walter', type: 'User' as const };
  await desk.receive('label', webhookPayload(event, { repository: { id: repo_id }, sender, ...payload }));
  await desk.settle();
}

test('C-6: the label is deleted in the repository: the run continues, and the log names who did it', async () => {
  await desk.github.upstream('DELETE', REPOSITORY_LABEL);
  await hear('label.deleted', { label: { name: 'Autobuild' } });
  await desk.settle();
  await desk.reconcile();
  expect(await isUnderWay()).toBe(true);
  expect(desk.logged()).toMatch(/"by":"walter".*the label was deleted; runs continue/);
});

test('C-6: the label is renamed: the run continues; made and set again, taking it off cancels', async () => {
  await desk.github.upstream('PATCH', REPOSITORY_LABEL, { new_name: 'robot' });
  await hear('label.edited', { label: { name: 'robot' }, changes: { name: { from: 'autobuild' } } });
  await desk.reconcile();
  await desk.github.upstream('POST', '/repos/olivia/shop/labels', { name: 'autobuild', color: 'ededed' });
  await desk.reconcile();
  expect(await isUnderWay()).toBe(true);
  await desk.olivia.label(issue, 'autobuild');
  await desk.settle();
  await desk.olivia.unlabel(issue, 'autobuild');
  await desk.settle();
  expect((await desk.state(run)).status).toBe('cancelled');
});

test('C-6: the webhook of the deletion is lost: that the repository has no such label says the same', async () => {
  desk.loseWebhooks(true);
  await desk.github.upstream('DELETE', REPOSITORY_LABEL);
  await desk.reconcile();
  expect(await isUnderWay()).toBe(true);
  expect(desk.logged()).toContain('the label was deleted or renamed');
});

test('C-6: the label is renamed and made again, and the run is paused for a quarter of a year: nobody has cancelled it', async () => {
  await desk.github.upstream('PATCH', REPOSITORY_LABEL, { new_name: 'robot' });
  await desk.reconcile();
  await desk.github.upstream('POST', '/repos/olivia/shop/labels', { name: 'autobuild', color: 'ededed' });
  await desk.reconcile();
  await desk.olivia.comment(issue, '/pause');
  await desk.settle();
  desk.clock.ms += 91 * DAY_MS;
  await desk.store.runs.prune(90 * DAY_MS);
  await desk.reconcile();
  expect(await isUnderWay()).toBe(true);
});

test.each([
  ['its webhooks are heard', false],
  ['its webhooks are lost', true],
])('C-6: the label is renamed and renamed back, %s: taking it off cancels again', async (_, areLost) => {
  desk.loseWebhooks(areLost);
  await desk.github.upstream('PATCH', REPOSITORY_LABEL, { new_name: 'robot' });
  if (!areLost)
    await hear('label.edited', { label: { name: 'robot' }, changes: { name: { from: 'autobuild' } } });
  await desk.reconcile();
  await desk.github.upstream('PATCH', '/repos/olivia/shop/labels/robot', { new_name: 'autobuild' });
  if (areLost) {
    desk.clock.ms += MINUTE_MS;
    await desk.reconcile();
  } else await hear('label.edited', { label: { name: 'autobuild' }, changes: { name: { from: 'robot' } } });
  expect(await isUnderWay()).toBe(true);
  desk.loseWebhooks(false);
  await desk.olivia.unlabel(issue, 'autobuild');
  await desk.settle();
  expect((await desk.state(run)).status).toBe('cancelled');
});

test('C-6: the webhook of a deletion comes when the label is back and a run has begun: taking it off cancels', async () => {
  await hear('label.deleted', { label: { name: 'autobuild' } });
  await desk.olivia.unlabel(issue, 'autobuild');
  await desk.settle();
  expect((await desk.state(run)).status).toBe('cancelled');
});

test('C-6: a new colour of the label, and the end of another label, change nothing', async () => {
  await hear('label.edited', { label: { name: 'autobuild' }, changes: { color: { from: 'ffffff' } } });
  await hear('label.deleted', { label: { name: 'bug' } });
  expect(desk.logged()).not.toContain('runs continue');
  await desk.olivia.unlabel(issue, 'autobuild');
  await desk.settle();
  expect((await desk.state(run)).status).toBe('cancelled');
});

test('C-6: one run that fails keeps no other from being spared', async () => {
  const { runs, cursors } = desk.store;
  const { target } = runs;
  const place = (await target(run)) ?? expect.fail('no target');
  for (const [index, other] of ['broken', 'r2'].entries())
    await runs.commit(other, 0, { ...request(other), target: { ...place, issue: 9_990 + index } });
  runs.target = (of) => (of === 'broken' ? Promise.reject(new Error('no such run')) : target(of));
  await desk.github.upstream('DELETE', REPOSITORY_LABEL);
  await expect(hear('label.deleted', { label: { name: 'autobuild' } })).rejects.toThrow();
  for (const spared of [run, 'r2']) expect((await cursors.get('label_gone', spared))?.since).toBeDefined();
  runs.target = target;
  await hear('label.deleted', { label: { name: 'autobuild' } });
  expect((await cursors.get('label_gone', 'broken'))?.since).toBeDefined();
});
