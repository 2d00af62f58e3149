import { createHmac, randomUUID } from 'node:crypto';
import { Agent, type ClientRequest, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/core/ports/inbox.ts';
import { StoreUnavailableError } from '../../src/core/ports/store-unavailable.ts';
import { createCounters } from '../../src/web/counters.ts';
import { createIngest, WEBHOOK_PATH } from '../../src/web/ingest.ts';
import { createLog } from '../../src/web/log.ts';
import { openTestDesk, SECRET, type TestDesk, type TestDeskOptions } from './desk.ts';

const MB = 1024 * 1024;
let desk: TestDesk;

async function open(options: TestDeskOptions = {}): Promise<void> {
  desk = await openTestDesk(options);
}
afterEach(() => desk?.close());

const labelled = { action: 'labeled', repository: { id: 77 }, issue: { number: 7, title: 'canary-payload' } };
const commented = (body: string) => ({
  action: 'created',
  repository: { id: 77 },
  issue: { number: 7, user: { login: 'rosa' } },
  comment: { id: 1, body, reactions: { total_count: 0 } },
});

function sign(body: string | Buffer, secret = SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

function send(
  body: string,
  headers: Record<string, string | undefined> = {},
): Promise<{ status: number; text: string; headers: Headers }> {
  const all = {
    'content-type': 'application/json',
    'x-github-delivery': randomUUID(),
    'x-github-event': 'issues',
    'x-hub-signature-256': sign(body),
    ...headers,
  };
  const given = Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => !!entry[1]),
  );
  return fetch(`${desk.url}${WEBHOOK_PATH}`, { method: 'POST', body, headers: given }).then(
    async (response) => ({
      status: response.status,
      text: (await response.text()).trim(),
      headers: response.headers,
    }),
  );
}

/** Over 50 connections that stay open, as a proxy in front of the server would have them. */
async function sendMany(
  count: number,
  idOf: (index: number) => string,
  onAnswer: (id: string) => void = () => undefined,
): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const body = JSON.stringify(labelled);
  const one = (id: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = {
        'x-github-delivery': id,
        'x-github-event': 'issues',
        'x-hub-signature-256': sign(body),
      };
      const client = request(`${desk.url}${WEBHOOK_PATH}`, { method: 'POST', agent, headers }, (response) => {
        onAnswer(id);
        response.setEncoding('utf8').on('data', (text) => resolve(`${response.statusCode} ${text.trim()}`));
      });
      client.on('error', reject).end(body);
    });
  try {
    return await Promise.all(Array.from({ length: count }, (_, index) => one(idOf(index))));
  } finally {
    agent.destroy();
  }
}

const stored = async () => (await desk.store.inbox.size()).waiting;

describe('what is kept', () => {
  test('R-1: what handlers read of a signed delivery is stored, in the lane of its issue, before the answer', async () => {
    await open();
    const body = JSON.stringify({ ...labelled, organization: { login: 'shop' } }, null, 1);
    const answer = await send(body, { 'x-github-delivery': 'd-1' });
    expect(answer).toMatchObject({ status: 202, text: 'queued' });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const item = await desk.store.inbox.claim(1000);
    expect(item).toMatchObject({
      id: 'd-1',
      event: 'issues',
      payload: JSON.stringify(labelled),
      lane: '77#7',
    });
  });

  test.each([
    ['an id', { id: 5_000_000_001 }, 5_000_000_001],
    ['none', undefined, undefined],
    ['null', null, undefined],
    ['an id that is text', { id: '7' }, undefined],
    ['an id that is no whole number', { id: 1e300 }, undefined],
    ['text', 'shop', undefined],
  ])('R-14: the installation of a delivery is stored with it: %s', async (_, installation, known) => {
    await open();
    expect((await send(JSON.stringify({ ...labelled, installation }))).text).toBe('queued');
    const delivery = (await desk.store.inbox.claim(1000)) ?? expect.fail('nothing is stored');
    expect(delivery.installation).toBe(known);
  });

  test('S-17: the same delivery again, 1,000 times at once, is kept once', async () => {
    await open();
    const answers = await sendMany(1000, () => 'same');
    expect(answers.filter((text) => text === '202 queued')).toHaveLength(1);
    expect(answers.filter((text) => text === '202 duplicate')).toHaveLength(999);
    expect(await stored()).toBe(1);
  });

  test('R-3: of 1,000 deliveries at once each is durable before its 202, in far fewer transactions', async () => {
    let transactions = 0;
    const durable = new Set<string>();
    const put = async (deliveries: Delivery[]) => {
      transactions += 1;
      const kept = await desk.store.inbox.put(deliveries);
      for (const { id } of deliveries) durable.add(id);
      return kept;
    };
    await open({ ingest: { inbox: { put } } });
    const early: string[] = [];
    const answers = await sendMany(
      1000,
      (index) => `n-${index}`,
      (id) => {
        if (!durable.has(id)) early.push(id);
      },
    );
    expect(new Set(answers)).toEqual(new Set(['202 queued']));
    expect(early).toEqual([]);
    expect(await stored()).toBe(1000);
    expect(transactions).toBeLessThan(300);
  });

  test('events and actions nobody acts on are acknowledged and forgotten', async () => {
    await open();
    for (const [event, action] of [
      ['star', 'created'],
      ['push', undefined],
      ['status', undefined],
      ['check_suite', 'completed'],
      ['pull_request_review_thread', 'created'],
      ['issues', 'assigned'],
      ['issues', undefined],
    ]) {
      const answer = await send(JSON.stringify({ ...labelled, action }), { 'x-github-event': event });
      expect(answer).toMatchObject({ status: 202, text: 'ignored' });
    }
    expect(await stored()).toBe(0);
  });

  test('R-11: a command spelled with escapes in the JSON is stored without them, so that the store sees it and seals it', async () => {
    await open();
    const body = JSON.stringify(commented('/provide token=hunter2')).replace(
      '/provide',
      '\\u002f\\u0070rovide',
    );
    const answer = await send(body, { 'x-github-event': 'issue_comment' });
    expect(answer.text).toBe('queued');
    expect((await desk.store.inbox.claim(1000))?.payload).toContain('/provide token=hunter2');
  });

  test('S-18: a payload nested a million deep is taken like any other', async () => {
    await open();
    const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
    const text = JSON.stringify({ ...labelled, sender: 'DEEP', deep: 'DEEP' }).replaceAll('"DEEP"', deep);
    expect((await send(text)).text).toBe('queued');
    expect((await desk.store.inbox.claim(1000))?.payload.length).toBeLessThan(1_000);
  });
});

describe('what is refused', () => {
  const body = JSON.stringify(labelled);
  const wrong: [string, Record<string, string | undefined>][] = [
    ['none', { 'x-hub-signature-256': undefined }],
    [
      'only sha1',
      {
        'x-hub-signature-256': undefined,
        'x-hub-signature': `sha1=${createHmac('sha1', SECRET).update(body).digest('hex')}`,
      },
    ],
    [
      'sha1 in the place of sha256',
      { 'x-hub-signature-256': `sha1=${createHmac('sha1', SECRET).update(body).digest('hex')}` },
    ],
    ['of another secret', { 'x-hub-signature-256': sign(body, 'another secret, as long') }],
    ['of another body', { 'x-hub-signature-256': sign(`${body} `) }],
    ['cut short', { 'x-hub-signature-256': sign(body).slice(0, -1) }],
    ['too long', { 'x-hub-signature-256': `${sign(body)}00` }],
    ['without its prefix', { 'x-hub-signature-256': sign(body).slice(7) }],
    ['empty', { 'x-hub-signature-256': 'sha256=' }],
  ];

  test.each(wrong)(
    'S-17: signature %s: 401, logged without the payload, nothing kept',
    async (_, headers) => {
      await open();
      expect((await send(body, headers)).status).toBe(401);
      expect(await stored()).toBe(0);
      expect(desk.logged()).toContain('webhook refused');
      expect(desk.logged()).not.toContain('canary-payload');
      expect(desk.logged()).not.toContain(SECRET);
    },
  );

  test('S-17: a wrong signature is refused before the body is parsed', async () => {
    await open();
    expect((await send('{not json', { 'x-hub-signature-256': sign('other') })).status).toBe(401);
  });

  test.each([
    ['no delivery id', { 'x-github-delivery': undefined }, body],
    ['a delivery id that is none', { 'x-github-delivery': 'a b; drop' }, body],
    ['no event', { 'x-github-event': undefined }, body],
    ['an event that is none', { 'x-github-event': '../x' }, body],
    ['no JSON', {}, 'payload=%7B%7D'],
    ['JSON that is no object', {}, '[]'],
  ])('signed, but with %s: 400', async (_, headers, text) => {
    await open();
    const answer = await send(text, { 'x-hub-signature-256': sign(text), ...headers });
    expect(answer.status).toBe(400);
    expect(await stored()).toBe(0);
  });

  test('other methods than POST: 405', async () => {
    await open();
    expect((await fetch(`${desk.url}${WEBHOOK_PATH}`)).status).toBe(405);
  });

  test('R-4: a declared length over the cap is refused before any of it is read', async () => {
    await open();
    const { client, answered } = begin({ 'content-length': String(26 * MB) });
    expect((await answered).status).toBe(413);
    client.destroy();
  });

  test('R-4: 26 MB without a declared length are cut off at the cap', async () => {
    await open();
    const { client, answered } = begin({ 'transfer-encoding': 'chunked' });
    const chunk = Buffer.alloc(MB, 'x');
    let sent = 0;
    client.on('error', () => undefined);
    while (sent < 26 && !client.destroyed) {
      sent += 1;
      if (!client.write(chunk)) await new Promise((resolve) => client.once('drain', resolve));
    }
    expect((await answered).status).toBe(413);
    client.destroy();
  });

  test('S-18: bodies that are read at the same time are bounded together', async () => {
    await open({ ingest: { limits: { bufferedBytes: 1000 } } });
    const answer = await send(JSON.stringify({ ...labelled, long: 'x'.repeat(2000) }));
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('5');
    // What was refused has given its share back.
    expect((await send(body)).status).toBe(202);
    expect((await send(body)).status).toBe(202);
  });

  test('a sender that hangs up half-way leaves nothing behind', async () => {
    await open({ ingest: { limits: { bufferedBytes: 1000 } } });
    for (let round = 0; round < 3; round += 1) {
      const { client } = begin({ 'content-length': '5000' });
      client.on('error', () => undefined);
      await new Promise<void>((resolve) => client.write('x'.repeat(900), () => resolve()));
      client.destroy();
    }
    await expect.poll(async () => (await send(body)).status).toBe(202);
  });

  function begin(headers: Record<string, string>): {
    client: ClientRequest;
    answered: Promise<{ status: number | undefined }>;
  } {
    const client = request(`${desk.url}${WEBHOOK_PATH}`, {
      method: 'POST',
      headers: {
        'x-hub-signature-256': sign('x'),
        'x-github-delivery': 'd',
        'x-github-event': 'issues',
        ...headers,
      },
    });
    const answered = new Promise<{ status: number | undefined }>((resolve, reject) => {
      client.once('response', (response) => {
        response.resume();
        resolve({ status: response.statusCode });
      });
      client.once('error', reject);
    });
    answered.catch(() => undefined);
    client.flushHeaders();
    return { client, answered };
  }
});

describe('when the store is away', () => {
  const body = JSON.stringify(labelled);

  test('R-12: 503 with Retry-After, and 202 again when it is back', async () => {
    let away = true;
    await open({
      ingest: {
        inbox: {
          async put(deliveries) {
            if (away) throw new StoreUnavailableError('the disk is full');
            return desk.store.inbox.put(deliveries);
          },
        },
      },
    });
    const answers = await Promise.all([send(body), send(body), send(body)]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(answers[0]?.headers.get('retry-after')).toBe('5');
    expect(await stored()).toBe(0);
    away = false;
    expect((await send(body)).text).toBe('queued');
    expect(desk.logged()).not.toContain('canary-payload');
  });

  test('R-4: a store that hangs is answered for in time, and the queue before it is bounded', async () => {
    const { promise: hung, resolve: release } = Promise.withResolvers<'fresh'[]>();
    await open({
      ingest: { inbox: { put: () => hung }, limits: { storeTimeoutMs: 300, queued: 5, batch: 1 } },
    });
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(body)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    const metrics = await (await fetch(`${desk.url}/metrics`)).text();
    expect(metrics).toMatch(/autobuild_deliveries_total\{result="overloaded"\} 1\d/);
    release([]);
  });
});

test('R-4: headers that never end are cut off', async () => {
  await open({ timeouts: { headersMs: 300, checkMs: 50 } });
  const socket = connect(desk.port, '127.0.0.1');
  socket.on('error', () => undefined);
  let received = '';
  socket.on('data', (data) => {
    received += data;
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(`POST ${WEBHOOK_PATH} HTTP/1.1\r\nhost: x\r\n`);
  const drip = setInterval(() => socket.write('x-a: 1\r\n'), 50);
  await closed;
  clearInterval(drip);
  expect(received).toContain('408');
});

test('R-4: a body that never ends is cut off', async () => {
  await open({ timeouts: { headersMs: 300, requestMs: 400, checkMs: 50 } });
  const socket = connect(desk.port, '127.0.0.1');
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(
    `POST ${WEBHOOK_PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\nx-hub-signature-256: ${sign('x')}\r\n\r\n`,
  );
  const drip = setInterval(() => socket.write('x'), 50);
  await closed;
  clearInterval(drip);
  expect(await stored()).toBe(0);
});

test.each(['', 'short', 'development'])('it is not created with the webhook secret %j', (secret) => {
  const log = createLog('silent', { write: () => undefined });
  const parts = { inbox: { put: async () => [] }, now: () => new Date(0), log, counters: createCounters() };
  expect(() => createIngest({ ...parts, secret })).toThrow(/at least 16 characters/);
});

test('V-7: a commit status, which has no action, is stored if it is about a branch of ours', async () => {
  await open();
  const status = (name: string) => JSON.stringify({ repository: { id: 77 }, sha: 'a', branches: [{ name }] });
  const event = { 'x-github-event': 'status' };
  expect((await send(status('autobuild/issue-7'), event)).text).toBe('queued');
  expect((await send(status('main'), event)).text).toBe('ignored');
});
