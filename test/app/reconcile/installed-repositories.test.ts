import { afterEach, beforeEach, expect, test } from 'vitest';
import { webhookPayload } from '../../fixtures/webhooks.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';

const MINUTE_MS = 60_000;
const HERE = { installation: { id: 100 }, sender: { login: 'walter', type: 'User' as const } };

let desk: AppDesk;
let asked: number;
beforeEach(async () => {
  desk = await openAppDesk();
  asked = 0;
  const { repositories } = desk.deps;
  desk.deps.repositories = () => {
    asked += 1;
    return repositories();
  };
});
afterEach(() => desk.close());

async function askedAfter(minutes: number): Promise<number> {
  desk.clock.ms += minutes * MINUTE_MS;
  await desk.reconcile();
  return asked;
}

test('R-14: the list of repositories is asked for every 15 minutes, while no event tells of a change', async () => {
  expect([await askedAfter(0), await askedAfter(7), await askedAfter(7)]).toEqual([1, 1, 1]);
  expect([await askedAfter(1), await askedAfter(14)]).toEqual([2, 2]);
});

test('R-1: after a clock was ahead, the list is asked for and idle repositories are read', async () => {
  const DAY_MINUTES = 24 * 60;
  const readAt = async () => (await desk.store.cursors.get('labels', '1'))?.read_at;
  expect(await askedAfter(DAY_MINUTES)).toBe(1);
  expect(await readAt()).toBe(desk.deps.now().toISOString());
  expect(await askedAfter(-DAY_MINUTES)).toBe(2);
  expect(await readAt()).toBe(desk.deps.now().toISOString());
});

test.each([
  'installation.created',
  'installation.deleted',
  'installation.suspend',
  'installation.unsuspend',
  'installation.new_permissions_accepted',
  'installation_repositories.added',
  'installation_repositories.removed',
] as const)('R-14: after %s it is asked for in the next round, once', async (name) => {
  expect([await askedAfter(0), await askedAfter(1)]).toEqual([1, 1]);
  await desk.receive(name.split('.')[0] ?? '', webhookPayload(name, HERE));
  await desk.settle();
  expect([await askedAfter(1), await askedAfter(1)]).toEqual([2, 2]);
});
