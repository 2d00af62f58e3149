import { afterEach, beforeEach, expect, test } from 'vitest';
import { GitHubError } from '../../../src/core/ports/github-port.ts';
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

test('R-14: while GitHub limits the App, the known list is used and not asked for, also after an event', async () => {
  expect(await askedAfter(0)).toBe(1);
  const { repositories } = desk.deps;
  desk.deps.repositories = async () => {
    await repositories();
    throw new GitHubError('limited', { status: 429, retryAfter: 3_600 });
  };
  expect([await askedAfter(15), await askedAfter(1), await askedAfter(30)]).toEqual([2, 2, 2]);
  await desk.receive('installation', webhookPayload('installation.suspend', HERE));
  await desk.settle();
  expect(await askedAfter(28)).toBe(2);
  expect((await desk.store.cursors.get('repositories', 'all'))?.installed).toHaveLength(1);
  desk.deps.repositories = repositories;
  expect([await askedAfter(1), await askedAfter(1)]).toEqual([3, 3]);
});

test('R-1: a wait that began while a clock was ahead is over when the clock is right', async () => {
  const { repositories } = desk.deps;
  desk.deps.repositories = async () => {
    await repositories();
    throw new GitHubError('limited', { status: 429, retryAfter: 60 });
  };
  const DAY_MINUTES = 24 * 60;
  expect(await askedAfter(DAY_MINUTES)).toBe(1);
  desk.deps.repositories = repositories;
  expect([await askedAfter(-DAY_MINUTES), await askedAfter(1)]).toEqual([2, 2]);
});

test('R-14: an outage that asks for no rest is no reason to wait for the list', async () => {
  const { repositories } = desk.deps;
  desk.deps.repositories = async () => {
    await repositories();
    throw new GitHubError('down', { status: 502 });
  };
  expect([await askedAfter(0), await askedAfter(1)]).toEqual([1, 2]);
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
