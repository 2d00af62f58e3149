import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { openParkedRuns, type ParkedRuns } from '../../../bench/parked-runs.ts';
import { reconcile } from '../../../src/app/reconcile/reconcile.ts';
import { GitHubError } from '../../../src/core/ports/github-port.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A call to GitHub takes this long. */
const CALL_MS = 300;

let desk: ParkedRuns;
/** Counted calls of the whole test by route. */
let calls: Record<string, number> = {};
afterEach(() => {
  calls = {};
  return desk?.close();
});

async function rounds(count: number): Promise<number> {
  let counted = 0;
  for (let round = 0; round < count; round += 1) {
    desk.clock.ms += MINUTE_MS;
    await reconcile(desk.deps);
    for (const [route, times] of Object.entries(desk.takeCalls().counted)) {
      calls[route] = (calls[route] ?? 0) + times;
      counted += times;
    }
  }
  return counted;
}

test('R-14: an hour of polling costs four calls per repository and token, however many runs are parked there', async () => {
  desk = await openParkedRuns({ repositories: 3, runs: 24 });
  await rounds(40);
  // Label, issues, comments and pull requests, read once more with the next token.
  expect(await rounds(60)).toBe(3 * 4);
});

/** Comments of issue and pull request, the two comments of the run, its pull request and the reviews. */
async function expectAllRead(runs: number): Promise<void> {
  for (let run = 1; run <= runs; run += 1) {
    const cursor = await desk.store.cursors.get('run', `run-${run}`);
    expect(cursor).toMatchObject({
      question: expect.any(String),
      pull_digest: expect.any(String),
      reviewed: { settled: true },
    });
    expect(Object.keys(cursor?.comments ?? {})).toHaveLength(2);
  }
}

test('R-14: at a first start the lists say what the runs need, and no run is read on its own', async () => {
  desk = await openParkedRuns({ repositories: 3, runs: 24 });
  // Label, issues, comments and pull requests of each repository, and one query for all reviews there.
  expect(await rounds(1)).toBe(3 * 5);
  await expectAllRead(24);
  expect(await rounds(20)).toBe(0);
});

test('R-14: where the lists do not say it, each round reads only some runs on their own, and in the end all of them', async () => {
  const repositories = 3;
  desk = await openParkedRuns({ repositories, runs: 24, isBusy: true });
  const spent: number[] = [];
  while (spent.length < 60 && spent.at(-1) !== 0) spent.push(await rounds(1));
  const [first = 0, second = 0, ...later] = spent;
  expect(first).toBe(repositories * 5 + 12);
  // The list of comments was long, so it begins later from now on.
  expect(second).toBe(repositories + 3);
  expect(Math.max(...later)).toBeLessThanOrEqual(repositories * 4 + 3);
  expect(later.filter((counted) => counted > 3)).toHaveLength(1);
  expect(calls).toMatchObject({
    'GET /repos/{owner}/{repo}/issues/{issue_number}/comments': 2 * 24,
    'GET /repos/{owner}/{repo}/issues/comments/{comment_id}': 2 * 24,
    'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews': 24,
  });
  await expectAllRead(24);
});

test('R-14: a comment that somebody deleted before a first start is looked for, and comes back', async () => {
  desk = await openParkedRuns({ repositories: 1, runs: 2 });
  desk.deleteComments(1, 2);
  await rounds(1);
  const known = (name: string) => desk.store.comments.find(name);
  expect(await known('run-1.status')).toMatchObject({ body_hash: expect.stringMatching(/./) });
  expect(await known('run-2.status')).toMatchObject({ body_hash: '' });
});

test('R-1: a command to a run that was not read on its own yet is found in the list', async () => {
  desk = await openParkedRuns({ repositories: 1, runs: 40, isBusy: true });
  await rounds(1);
  const key = desk.comment(1, 40, '/provide colour=red');
  await rounds(1);
  expect((await desk.store.cursors.get('run', 'run-40'))?.comments).toBeUndefined();
  expect(await desk.store.runs.wasSeen(key)).toBe(true);
});

test('R-1: a command that is older than a first list reaches is read with its run', async () => {
  desk = await openParkedRuns({ repositories: 1, runs: 10, isBusy: true });
  const key = desk.comment(1, 10, '/provide colour=red', desk.clock.ms - HOUR_MS + 1_000);
  await rounds(1);
  expect(await desk.store.runs.wasSeen(key)).toBe(false);
  await rounds(15);
  expect(await desk.store.runs.wasSeen(key)).toBe(true);
});

test('R-14: a comment costs one counted call, whichever run it is for', async () => {
  desk = await openParkedRuns({ repositories: 2, runs: 40 });
  await rounds(50);
  desk.comment(1, 900_000, 'Nice weather.');
  expect(await rounds(3)).toBe(1);
});

test('R-1: at 200 runs with every webhook lost, a command to each is answered within 90 s', async () => {
  const repositories = 40;
  const runs = 200;
  const open: { at: number; answer(): void }[] = [];
  let time = 0;
  const onCall = () => new Promise<void>((answer) => void open.push({ at: time + CALL_MS, answer }));
  desk = await openParkedRuns({ repositories, runs, onCall });
  /** Answers the oldest call once nothing else is under way; the store works in this thread. */
  const round = async () => {
    const began = time;
    let isOver = false;
    void reconcile(desk.deps).finally(() => {
      isOver = true;
    });
    for (let idle = 0; !isOver; ) {
      const before = open.length;
      await setImmediate();
      idle = open.length === before ? idle + 1 : 0;
      const next = idle > 3 ? open.shift() : undefined;
      if (!next) continue;
      time = Math.max(time, next.at);
      idle = 0;
      next.answer();
    }
    return time - began;
  };
  await round();
  desk.clock.ms += MINUTE_MS;
  await round();
  // Written just after a round began, so the next one finds it a minute later.
  const written = Array.from({ length: runs }, (_, index) =>
    desk.comment((index % repositories) + 1, index + 1, '/provide colour=red'),
  );
  desk.clock.ms += MINUTE_MS;
  expect(MINUTE_MS + (await round())).toBeLessThan(90_000);
  const answered = await Promise.all(written.map((key) => desk.store.runs.wasSeen(key)));
  expect(answered.filter((isAnswered) => !isAnswered)).toEqual([]);
});

test('R-14: effects come before polling: the last fifth of an installation’s calls is not spent on it', async () => {
  desk = await openParkedRuns({ repositories: 2, runs: 4 });
  desk.deps.budget = () => ({ limit: 5_000, remaining: 900 });
  expect(await rounds(1)).toBe(0);
  desk.deps.budget = () => ({ limit: 5_000, remaining: 1_100 });
  expect(await rounds(1)).toBeGreaterThan(0);
});

test('R-14: a limit stops the installation that has it, and no other', async () => {
  desk = await openParkedRuns({ repositories: 20, runs: 20 });
  const { github, repositories } = desk.deps;
  const asked: number[] = [];
  const installationOf = (repo: string) => (repo.endsWith('1') ? 101 : 100);
  desk.deps.repositories = async () => {
    const listed = await repositories();
    const moved = listed.repositories.map((one) => ({ ...one, installation_id: installationOf(one.repo) }));
    return { ...listed, repositories: moved };
  };
  desk.deps.github = async (repository) => {
    asked.push(repository.installation_id);
    if (repository.installation_id === 101)
      throw new GitHubError('Slow down', { status: 403, retryAfter: 60 });
    return github(repository);
  };
  await reconcile(desk.deps);
  expect(asked.filter((id) => id === 101)).toHaveLength(1);
  expect(new Set(asked)).toContain(100);
  const read = await Promise.all(
    Array.from({ length: 20 }, (_, index) => desk.store.cursors.get('polled', String(index + 1))),
  );
  expect(read.filter(Boolean)).toHaveLength(18);
});
