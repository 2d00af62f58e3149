import { Octokit } from '@octokit/rest';
import { expect, test } from 'vitest';
import { GitHubError } from '../../src/core/ports/github-port.ts';
import { createAppDeliveries } from '../../src/github/app-deliveries.ts';
import { exampleItem, useGitHubApi } from './github-api.ts';

const LIST = 'GET /app/hook/deliveries';
const AGAIN = 'POST /app/hook/deliveries/{delivery_id}/attempts';
const { on, sent } = useGitHubApi();
const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };
const deliveries = createAppDeliveries(async () => new Octokit({ auth: 'a-token', log }));

const failure = (id: number, delivered_at: string, status = 'Invalid HTTP Response') =>
  exampleItem(LIST, { id, guid: `guid-${id}`, delivered_at, status, status_code: 500 });
const next = (cursor: string) => ({
  link: `<https://api.github.com/app/hook/deliveries?per_page=100&cursor=${cursor}>; rel="next"`,
});

test('failed deliveries, oldest first, by pages until the time named', async () => {
  on(LIST, {
    answer: [failure(9, '2026-11-16T10:09:00Z'), failure(8, '2026-11-16T10:08:00Z')],
    headers: next('v1_8'),
  });
  on(LIST, {
    answer: [failure(7, '2026-11-16T10:07:00Z'), failure(2, '2026-11-16T09:00:00Z')],
    headers: next('v1_2'),
  });
  const { failed, complete } = await deliveries.failedSince('2026-11-16T10:00:00.000Z');
  expect(failed.map(({ id }) => id)).toEqual(['7', '8', '9']);
  expect(failed[0]).toEqual({ id: '7', guid: 'guid-7', delivered_at: '2026-11-16T10:07:00Z' });
  expect(complete).toBe(true);
  expect(sent.map(({ query }) => query)).toEqual([
    { per_page: '100', status: 'failure' },
    { per_page: '100', status: 'failure', cursor: 'v1_8' },
  ]);
});

test('a server that does not know the filter: what went well is left out', async () => {
  const good = failure(3, '2026-11-16T10:03:00Z', 'OK');
  on(LIST, { answer: [failure(4, '2026-11-16T10:04:00Z'), good] });
  const { failed } = await deliveries.failedSince('2026-11-16T10:00:00.000Z');
  expect(failed.map(({ id }) => id)).toEqual(['4']);
});

test('reading is bounded, and says so', async () => {
  for (let page = 0; page < 30; page += 1)
    on(LIST, { answer: [failure(100 - page, '2026-11-16T10:04:00Z')], headers: next(`v1_${100 - page}`) });
  const { failed, complete } = await deliveries.failedSince('2026-11-16T10:00:00.000Z');
  expect(failed).toHaveLength(30);
  expect(complete).toBe(false);
});

test('an id that no number can hold is asked for as it is', async () => {
  const id = '181632390881181701';
  const text = JSON.stringify([failure(1, '2026-11-16T10:04:00Z')]).replace('"id":1,', `"id":${id},`);
  on(LIST, { answer: [failure(1, '2026-11-16T10:04:00Z')], raw: text });
  const { failed } = await deliveries.failedSince('2026-11-16T10:00:00.000Z');
  expect(failed.map((delivery) => delivery.id)).toEqual([id]);
  on(AGAIN, { at: { delivery_id: id }, status: 202 });
  await deliveries.redeliver(id);
  expect(sent.at(-1)?.path).toBe(`/app/hook/deliveries/${id}/attempts`);
});

test('a refusal is a GitHubError that names the call', async () => {
  on(LIST, { status: 404 });
  const error = await deliveries.failedSince('2026-11-16T10:00:00.000Z').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(GitHubError);
  expect(String(error)).toContain(LIST);
  on(AGAIN, { at: { delivery_id: '5' }, status: 422 });
  await expect(deliveries.redeliver('5')).rejects.toMatchObject({ status: 422 });
});
