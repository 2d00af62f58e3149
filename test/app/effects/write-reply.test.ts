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

test('R-9: a word that a command was taken, which GitHub takes after the cancel, is dropped; other answers are not', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour', 'size']).park());
  const commands = [
    '/provide colour=red',
    '/provide shape=round',
    '/provide size=4',
    '/pause',
    '/cancel',
    '/continue',
  ];
  desk.interfere((call) =>
    call.caller.kind === 'installation' && call.method === 'POST' && call.path.endsWith('/comments')
      ? { status: 502, body: { message: 'down' } }
      : undefined,
  );
  for (const command of commands) {
    await desk.olivia.comment(issue, command);
    await desk.settle();
  }
  expect((await desk.state()).status).toBe('cancelled');
  desk.interfere(() => undefined);
  for (let time = 0; time < 6; time += 1) {
    desk.clock.ms += 120_000;
    await desk.settle();
  }
  const replies = (await desk.olivia.comments(issue))
    .map(({ body }) => body)
    .filter((body) => body.includes(':reply '));
  expect(replies).toEqual([
    expect.stringContaining('`shape` was not asked for'),
    // The answer to what came after the end.
    expect.stringContaining('Nothing changed: this run has ended'),
  ]);
  expect(await desk.store.outbox.size()).toMatchObject({ waiting: 0, buried: 0 });
});

test('R-9: the word that belongs to the end itself is written, however late', async () => {
  desk = await openAppDesk();
  const run = askingRun(['colour']).park();
  run.say('/cancel');
  await desk.seed(run);
  const stored = await desk.store.runs.events('r1');
  const ends = ({ commit }: (typeof stored)[number]) =>
    commit.events.some(({ type }) => type === 'run_finished');
  const { version = 0 } = stored.find(ends) ?? {};
  const said = async (at: number) => {
    const title = `Said at ${at - version}.`;
    await desk.perform({ type: 'reply', reply: { tone: 'taken', title } }, { id: `r1.${at}.9` });
    const { issue = 0 } = (await desk.store.runs.target('r1')) ?? {};
    return (await desk.olivia.comments(issue)).some(({ body }) => body.includes(title));
  };
  expect(await said(version - 1)).toBe(false);
  expect(await said(version)).toBe(true);
});
