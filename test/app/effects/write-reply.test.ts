import { afterEach, expect, test } from 'vitest';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';
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

test.each([
  ['/provide nope=1', '`nope` was not asked for'],
  ['/provide till_key=', '`till_key=` has no value'],
  ['/approve files=30', 'Nothing changed'],
])('P-9: the reply to %s offers no line with a secret in it, but the way to give it', async (text, says) => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun([{ key: 'till_key', label: 'Key of the till', secret: true }]));
  await desk.olivia.comment(issue, text);
  await desk.settle();
  const body = (await desk.olivia.comments(issue)).at(-1)?.body;
  expect(body).toContain(says);
  expect(body).toMatch(/`till_key` · secret: .*Actions secret `TILL_KEY`/);
  expect(body).not.toMatch(/^\/provide/m);
  expect(body).not.toContain('after the `=`');
});

test('P-9: a line for a value that is no secret is still offered, without the secret beside it', async () => {
  desk = await openAppDesk();
  const till = { key: 'till_key', label: 'Key of the till', secret: true };
  const { issue } = await desk.seed(askingRun(['colour', till]));
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  const body = (await desk.olivia.comments(issue)).at(-1)?.body;
  expect(body).toMatch(/^\/provide colour=$/m);
  expect(body).toMatch(/`till_key` · secret: /);
});
