import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAppSlug } from '../../src/github/app-slug.ts';
import type { OctokitLike } from '../../src/github/client/client.ts';

function createSlug(answers: (string | undefined | Error)[]) {
  const seen = { ms: 0, failures: [] as unknown[], asked: 0 };
  const octokit = {
    async request(route: string) {
      expect(route).toBe('GET /app');
      seen.asked += 1;
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return { data: { slug: answer } };
    },
  } as unknown as OctokitLike;
  const slug = createAppSlug(
    async () => octokit,
    () => seen.ms,
    (error) => seen.failures.push(error),
  );
  return { seen, slug };
}

test('the name of the App is asked for in the background, and again after an hour', async () => {
  const { seen, slug } = createSlug(['robot', 'new-robot']);
  expect(slug()).toBeUndefined();
  await turn();
  expect([slug(), slug(), seen.asked]).toEqual(['robot', 'robot', 1]);
  seen.ms = 3_600_001;
  expect(slug()).toBe('robot');
  await turn();
  expect([slug(), seen.asked, seen.failures]).toEqual(['new-robot', 2, []]);
});

test('an outage of GitHub leaves the name unknown, and it is asked for once a minute', async () => {
  const { seen, slug } = createSlug([new Error('503'), undefined, 'robot']);
  slug();
  await turn();
  seen.ms = 59_999;
  expect([slug(), seen.asked, seen.failures.length]).toEqual([undefined, 1, 1]);
  seen.ms = 60_000;
  slug();
  await turn();
  expect([slug(), seen.asked, seen.failures.length]).toEqual([undefined, 2, 2]);
  seen.ms = 120_000;
  slug();
  await turn();
  expect([slug(), seen.asked]).toEqual(['robot', 3]);
});
