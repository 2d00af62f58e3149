import { expect, test } from 'vitest';
import { createBudgets } from '../../src/github/client/budget.ts';
import type { OctokitLike } from '../../src/github/client/client.ts';
import { listRepositories } from '../../src/github/list-repositories.ts';

const INSTALLATIONS = [
  { id: 1, suspended_at: null },
  { id: 2, suspended_at: null },
];

/** GitHub, which refuses one installation for a minute and counts the calls of each. */
function limiting(limited: number) {
  const calls = new Map<number, number>();
  const asApp = { request: async () => ({ data: INSTALLATIONS, headers: {} }) };
  const asInstallation = async (id: number) => ({
    request: async () => {
      calls.set(id, (calls.get(id) ?? 0) + 1);
      const headers: Record<string, string> = { 'retry-after': '60' };
      if (id === limited) throw Object.assign(new Error('no'), { status: 403, response: { headers } });
      const answered = {
        'x-ratelimit-limit': '5000',
        'x-ratelimit-remaining': '7',
        'x-ratelimit-reset': '60',
      };
      const found = { id: 10 * id, name: 'shop', owner: { login: 'olivia' }, archived: false };
      return { data: { repositories: [found] }, headers: answered };
    },
  });
  return { calls, asApp: asApp as unknown as OctokitLike, asInstallation: asInstallation as never };
}

test('R-14: the repositories of a limited installation are not asked for before its time, those of another are', async () => {
  let ms = 0;
  const budgets = createBudgets(() => ms);
  const { calls, asApp, asInstallation } = limiting(1);
  const list = () => listRepositories(asApp, asInstallation, (id) => budgets.of(id));
  const { repositories, unread } = await list();
  expect(repositories.map(({ repo_id }) => repo_id)).toEqual([20]);
  expect(unread).toMatchObject([{ installation_id: 1, error: { status: 403, retryAfter: 60 } }]);
  ms = 20_000;
  expect((await list()).unread).toMatchObject([{ installation_id: 1, error: { retryAfter: 40 } }]);
  expect(Object.fromEntries(calls)).toEqual({ 1: 1, 2: 2 });
  ms = 60_000;
  await list();
  expect(calls.get(1)).toBe(2);
});

test('R-14: what these calls leave of the limit is known', async () => {
  const budgets = createBudgets(() => 0);
  const { asApp, asInstallation } = limiting(0);
  await listRepositories(asApp, asInstallation, (id) => budgets.of(id));
  expect(budgets.of(2).left('core')).toEqual({ limit: 5_000, remaining: 7 });
});
