import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { WEBHOOK_PATH } from '../../src/web/ingest.ts';
import { openTestDesk, SECRET, type TestDesk } from '../web/desk.ts';

let desk: TestDesk;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await desk.close();
});

/** Begins a request that is never finished: the headers say more than comes. */
async function sendHalf(text: string, headers = 'content-length: 1000000'): Promise<{ received(): string }> {
  const socket = connect(desk.port, '127.0.0.1');
  sockets.push(socket);
  let received = '';
  socket.on('data', (data) => {
    received += data;
  });
  socket.on('error', () => undefined);
  const head = `POST ${WEBHOOK_PATH} HTTP/1.1\r\nhost: x\r\nx-hub-signature-256: sha256=${'0'.repeat(64)}`;
  await new Promise<void>((resolve) => {
    socket.write(`${head}\r\n${headers}\r\n\r\n${text}`, () => resolve());
  });
  return { received: () => received };
}

let sent = 0;
async function sendWebhook(bytes: number): Promise<number> {
  sent += 1;
  const labelled = { action: 'labeled', repository: { id: 77 }, issue: { number: 7 } };
  const body = JSON.stringify({ ...labelled, more: 'x'.repeat(bytes) });
  const response = await fetch(`${desk.url}${WEBHOOK_PATH}`, {
    method: 'POST',
    body,
    headers: {
      'x-github-delivery': `d-${sent}`,
      'x-github-event': 'issues',
      'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
    },
  });
  return response.status;
}

describe('S-18: bodies without a valid signature that are sent half', () => {
  test('S-18: as much as all bodies may take: real webhooks come through, and the longest under way give way', async () => {
    desk = await openTestDesk({ ingest: { limits: { bufferedBytes: 300_000 } } });
    const halves: { received(): string }[] = [];
    for (let at = 0; at < 15; at += 1) halves.push(await sendHalf('x'.repeat(30_000)));
    for (let at = 0; at < 5; at += 1) expect(await sendWebhook(14_000)).toBe(202);
    await expect.poll(() => halves[0]?.received()).toContain('HTTP/1.1 503');
    expect(halves.at(-1)?.received()).toBe('');
  });

  test('S-18: many small ones do not crowd out a webhook that is larger than their equal share', async () => {
    desk = await openTestDesk({ ingest: { limits: { bufferedBytes: 300_000 } } });
    for (let at = 0; at < 95; at += 1) await sendHalf('x'.repeat(3_000));
    expect(await sendWebhook(14_000)).toBe(202);
  });

  test('S-18: pieces of one byte count with what they cost', async () => {
    desk = await openTestDesk({ ingest: { limits: { bufferedBytes: 300_000 } } });
    const drip = await sendHalf('1\r\nx\r\n'.repeat(5_000), 'transfer-encoding: chunked');
    await expect.poll(() => drip.received()).toContain('HTTP/1.1 503');
    expect(await sendWebhook(14_000)).toBe(202);
  });

  test('S-18: a body that does not end is cut off long before a request is', async () => {
    desk = await openTestDesk({ ingest: { limits: { bodyMs: 200 } } });
    const half = await sendHalf('x');
    await expect.poll(() => half.received()).toContain('HTTP/1.1 408');
    expect(desk.logged()).toContain('too_slow');
  });
});
