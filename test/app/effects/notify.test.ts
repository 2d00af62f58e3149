import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunTarget } from '../../../src/core/ports/run-target.ts';
import { type Call, refuse } from '../../../src/sandbox/github/gap.ts';
import type { Run, RunOptions } from '../../core/run-builder.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let desk: AppDesk;
let chat: Server;
let answer: number;
const posted: { text: string; id: string }[] = [];

beforeEach(async () => {
  answer = 200;
  posted.length = 0;
  chat = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    posted.push(JSON.parse(body));
    response.writeHead(answer).end('ok');
  }).listen(0, '127.0.0.1');
  await once(chat, 'listening');
});
afterEach(async () => {
  await desk?.close();
  chat.closeAllConnections();
  chat.close();
});

const open = async () => {
  const { port } = chat.address() as AddressInfo;
  desk = await openAppDesk({ settings: { notifyUrl: `http://127.0.0.1:${port}/hook` } });
};

/** Asked a moment ago by the desk's clock. */
const asking = (options: RunOptions = {}): Run =>
  askingRun(['colour'], { startMs: desk.clock.ms, ...options });

async function ask(target: Partial<RunTarget> = {}, run = asking()): Promise<number> {
  return (await desk.seed(run, target)).issue;
}

const comments = async (issue: number, kind: string) =>
  (await desk.olivia.comments(issue)).filter(({ body }) => body.includes(`<!-- autobuild:${kind} `));

const sleep = async (ms: number) => {
  desk.clock.ms += ms;
  await desk.settle();
  // What the timers led to.
  await desk.settle();
};

test('P-10: question and reminder mention who set the label', async () => {
  await open();
  const issue = await ask();
  await sleep(2 * HOUR_MS);
  const [question] = await comments(issue, 'escalation');
  const [reminder] = await comments(issue, 'reminder');
  for (const comment of [question, reminder])
    expect(comment?.body).toContain('@olivia, please answer (you labelled the issue).');
});

test('P-10: question and reminder mention whom the config names, and nobody else', async () => {
  await open();
  const issue = await ask({ notify: { mention: ['walter', 'acme/web'], webhook: 'on' } });
  await sleep(2 * HOUR_MS);
  const [question] = await comments(issue, 'escalation');
  const [reminder] = await comments(issue, 'reminder');
  for (const comment of [question, reminder]) {
    expect(comment?.body).toContain('@walter and @acme/web, please answer.');
    expect(comment?.body).not.toContain('@olivia');
  }
});

test('P-10: reminders mention whom the config names after so many that nobody answered', async () => {
  await open();
  const issue = await ask({
    notify: { mention: [], webhook: 'on', escalate_to: ['acme/leads'], escalate_after: 1 },
  });
  await sleep(2 * HOUR_MS);
  await sleep(2 * HOUR_MS);
  const [first, second] = await comments(issue, 'reminder');
  expect(first?.body).toContain('@olivia, please answer (you labelled the issue).');
  expect(second?.body).toContain(
    '@olivia, please answer (you labelled the issue). @acme/leads: 1 reminder went unanswered, so you are asked too.',
  );
});

test('P-10: the webhook gets one line and the way to the question, for the question and each reminder', async () => {
  await open();
  const issue = await ask();
  const [question] = await comments(issue, 'escalation');
  const { headline } = (await desk.state()).escalations[0] ?? expect.fail('no question');
  const [line, way] = (posted[0]?.text ?? '').split('\n');
  expect(posted).toHaveLength(1);
  expect(line).toBe(`olivia/shop#${issue}: waiting for you: ${headline}`);
  expect(way).toMatch(new RegExp(`/olivia/shop/issues/${issue}#issuecomment-${question?.id}$`));
  await sleep(2 * HOUR_MS);
  expect(posted).toHaveLength(2);
  expect(posted[1]?.text).toBe(posted[0]?.text);
  expect(posted[1]?.id).not.toBe(posted[0]?.id);
  // What the agent tried and needs stays on GitHub.
  expect(JSON.stringify(posted)).not.toMatch(/Looked everywhere|A key for the mail service/);
});

test('P-10: the webhook gets no calls, no links of the agent and no secret', async () => {
  await open();
  const run = asking();
  const secret = 'https://user:passw0rd@ss<word>&more';
  const ref = await desk.store.vault.put('r1', 'colour', secret);
  const raised = run.events.find((event) => event.type === 'escalation_raised') ?? expect.fail('no question');
  raised.escalation.headline = `<!channel> [go](x) & see ${secret}`;
  raised.escalation.resolution = { by: 'olivia', inputs: { colour: { ref, length: secret.length } } };
  await ask({}, run);
  const [line = ''] = (posted[0]?.text ?? '').split('\n');
  expect(line).toMatch(/: waiting for you: &lt;!channel&gt; \[go\] \(x\) &amp; see \[redacted\]$/);
});

test('P-10: webhook: off posts nothing; people are mentioned all the same', async () => {
  await open();
  const issue = await ask({ notify: { mention: [], webhook: 'off' } });
  await sleep(2 * HOUR_MS);
  expect(posted).toEqual([]);
  expect((await comments(issue, 'reminder'))[0]?.body).toContain('@olivia, please answer');
});

test.each(['refuses', 'is gone'])('P-10: a webhook that %s holds up nothing, and is logged', async (what) => {
  await open();
  answer = 500;
  if (what === 'is gone') {
    chat.close();
    await once(chat, 'close');
  }
  const issue = await ask();
  expect((await comments(issue, 'status'))[0]?.body).toContain('Waiting for you');
  expect(await desk.olivia.labels(issue)).toContain('autobuild:waiting');
  expect(desk.logged()).toContain('the notification webhook');
  expect(desk.logged()).not.toContain('/hook');
});

test('P-10: by default people are reminded and nothing expires', async () => {
  await open();
  const issue = await ask();
  for (let day = 0; day < 3; day += 1) await sleep(30 * DAY_MS);
  expect(await desk.state()).toMatchObject({ status: 'waiting_for_input', pending: 'e1' });
  expect(await comments(issue, 'reminder')).toHaveLength(3);
});

test('P-10: where the config sets an end, the reminder names it, and then the run ends with a word', async () => {
  await open();
  const issue = await ask({}, asking({ expireMs: 14 * DAY_MS }));
  await sleep(2 * HOUR_MS);
  expect((await comments(issue, 'reminder'))[0]?.body).toContain('expires on');
  await sleep(14 * DAY_MS);
  expect(await desk.state()).toMatchObject({ status: 'cancelled', finished: { by: 'autobuild' } });
  const why = 'nobody answered for 14 days';
  expect((await comments(issue, 'escalation'))[0]?.body).toContain(`✗ Closed: ${why}`);
  for (const kind of ['status', 'receipt']) {
    const [comment] = await comments(issue, kind);
    expect(comment?.body).toContain(`✗ Cancelled: ${why}`);
    expect(comment?.body).toContain('remove and re-add the label');
  }
  expect(await desk.olivia.labels(issue)).toContain('autobuild:stopped');
  // Nothing comes after the end.
  const before = (await desk.olivia.comments(issue)).length;
  await sleep(30 * DAY_MS);
  expect(await desk.olivia.comments(issue)).toHaveLength(before);
  expect(posted).toHaveLength(3);
});

test('P-10: a paused run expires by the timer in the store; one that goes on does not', async () => {
  await open();
  const issue = await ask({}, asking({ expireMs: 14 * DAY_MS }));
  await desk.olivia.comment(issue, '/pause');
  await desk.settle();
  await sleep(10 * DAY_MS);
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  await sleep(10 * DAY_MS);
  expect((await desk.state()).status).toBe('building');
  await desk.olivia.comment(issue, '/pause');
  await desk.settle();
  await sleep(13 * DAY_MS);
  expect((await desk.state()).status).toBe('waiting_for_input');
  await sleep(2 * DAY_MS);
  expect((await desk.state()).finished?.reason).toBe('paused, and nobody continued it for 15 days');
  const [status] = await comments(issue, 'status');
  const [line, way] = (posted.at(-1)?.text ?? '').split('\n');
  expect(line).toBe(`olivia/shop#${issue}: cancelled: paused, and nobody continued it for 15 days`);
  expect(way).toMatch(new RegExp(`/issues/${issue}#issuecomment-${status?.id}$`));
});

test('P-10: the webhook hears that a run expired, once', async () => {
  await open();
  const issue = await ask({}, asking({ expireMs: 14 * DAY_MS }));
  await sleep(14 * DAY_MS + HOUR_MS);
  const ends = () => posted.filter(({ text }) => text.includes(': cancelled: '));
  expect(ends().map(({ text }) => text.split('\n')[0])).toEqual([
    `olivia/shop#${issue}: cancelled: nobody answered for 14 days`,
  ]);
  await sleep(30 * DAY_MS);
  expect(ends()).toHaveLength(1);
});

test('P-10: the webhook hears that a run expired once, however often its receipt is written', async () => {
  await open();
  const issue = await ask({}, asking({ expireMs: 14 * DAY_MS }));
  await sleep(14 * DAY_MS + HOUR_MS);
  const ends = () => posted.filter(({ text }) => text.includes(': cancelled: '));
  expect(ends()).toHaveLength(1);
  for (const id of ['again', 'once more']) await desk.perform({ type: 'show_receipt' }, { id });
  expect(await comments(issue, 'receipt')).toHaveLength(1);
  expect(ends()).toHaveLength(1);
});

test('P-10: webhook: off says nothing of the end either', async () => {
  await open();
  await ask({ notify: { mention: [], webhook: 'off' } }, asking({ expireMs: 14 * DAY_MS }));
  await sleep(15 * DAY_MS);
  expect((await desk.state()).finished?.expired).toBe(true);
  expect(posted).toEqual([]);
});

test('P-10: the webhook hears nothing of a run that a person ended', async () => {
  await open();
  const issue = await ask();
  await desk.olivia.comment(issue, '/cancel');
  await desk.settle();
  expect((await desk.state()).status).toBe('cancelled');
  expect(posted).toHaveLength(1);
});

test('E-12: the next reminder that question, status and reminder name is never in the past', async () => {
  await open();
  const issue = await ask();
  // The desk was away for two days and more.
  await sleep(50 * HOUR_MS);
  const { reminders, escalations } = await desk.state();
  const every = escalations[0]?.priority === 'high' ? reminders.high_every_ms : reminders.every_ms;
  const next = new Date(desk.clock.ms + 2 * every).toISOString().slice(11, 16);
  for (const kind of ['escalation', 'status', 'reminder'])
    expect((await comments(issue, kind)).at(-1)?.body).toMatch(new RegExp(`reminder [^·]*${next} UTC`));
});

test('E-12: a reminder that GitHub refuses for a while is written later, and nothing names a time that has passed', async () => {
  await open();
  const issue = await ask();
  let isRefusing = true;
  desk.interfere(({ method, path, caller }) =>
    isRefusing && caller.kind === 'installation' && method === 'POST' && path.endsWith('/comments')
      ? refuse(403, 'Forbidden')
      : undefined,
  );
  const { reminders, escalations } = await desk.state();
  const every = escalations[0]?.priority === 'high' ? reminders.high_every_ms : reminders.every_ms;
  await sleep(every);
  for (let time = 0; time < 6; time += 1) await sleep(60_000);
  const [question] = await comments(issue, 'escalation');
  const named = /reminder (?:[^·]* )?(\d\d:\d\d) UTC/.exec(question?.body ?? '')?.[1];
  expect(named).not.toBe(new Date(desk.clock.ms - 6 * 60_000).toISOString().slice(11, 16));
  expect(await comments(issue, 'reminder')).toHaveLength(0);
  isRefusing = false;
  await sleep(15 * 60_000);
  expect(await comments(issue, 'reminder')).toHaveLength(1);
});

test('E-12: a reminder that was refused until the next one was due is left out', async () => {
  await open();
  const issue = await ask();
  const { reminders, escalations } = await desk.state();
  const every = escalations[0]?.priority === 'high' ? reminders.high_every_ms : reminders.every_ms;
  desk.interfere(({ method, path, caller }) =>
    caller.kind === 'installation' && method === 'POST' && path.endsWith('/comments')
      ? refuse(403, 'Forbidden')
      : undefined,
  );
  await sleep(every + 60_000);
  await sleep(2 * every + 60_000);
  desk.interfere(() => undefined);
  await sleep(15 * 60_000);
  expect((await desk.state()).escalations[0]?.reminders).toBe(2);
  const [only, ...others] = await comments(issue, 'reminder');
  expect(only?.body).toContain('Reminder 2');
  expect(others).toEqual([]);
});

test.each([502, 429])('P-10: %i to the fold of a reminder keeps no message from the chat', async (status) => {
  await open();
  const issue = await ask();
  await sleep(2 * HOUR_MS);
  const isFold = ({ body }: Call) => String(body.query).includes('minimizeComment(');
  desk.interfere((call) => (isFold(call) ? refuse(status, 'Not now') : undefined));
  await sleep(2 * HOUR_MS);
  expect(posted).toHaveLength(3);
  await sleep(2 * 60_000);
  expect(desk.exchanges.filter(({ call }) => isFold(call)).length).toBeGreaterThan(1);
  desk.interfere(() => undefined);
  await sleep(10 * 60_000);
  const reminders = await comments(issue, 'reminder');
  expect(reminders.map(({ node_id }) => desk.github.minimized.has(node_id))).toEqual([true, false]);
  expect(posted).toHaveLength(3);
});
