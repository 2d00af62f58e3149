import { afterEach, expect, test } from 'vitest';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { endJobs } from '../end-jobs.ts';

let desk: AppDesk;
afterEach(async () => {
  await endJobs(desk);
  await desk.close();
});

test('S-17: a reply about a job links its log', async () => {
  desk = await openAppDesk();
  const { issue, run } = await desk.begin();
  const reply = { tone: 'waiting', title: 'Paused: look at the log.' } as const;
  await desk.perform({ type: 'reply', reply, log: 4_000_007 }, { run });
  const body = (await desk.olivia.comments(issue)).at(-1)?.body;
  expect(body).toContain('Paused: look at the log.');
  expect(body).toMatch(/\[The log of the job\]\(https?:\/\/[^)]+\/olivia\/shop\/actions\/runs\/4000007\)/);
});
