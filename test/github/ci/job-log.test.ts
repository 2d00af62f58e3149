import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { readLogTail } from '../../../src/github/ci/job-log.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A log of so many lines, sent as fast as it is read. Returns its address and how much was sent. */
async function serve(lines: number, status = 200): Promise<{ url: string; sent(): number }> {
  let sent = 0;
  server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'text/plain' });
    const push = () => {
      while (sent < lines) {
        sent += 1;
        if (!response.write(`line ${sent}\n`)) return void response.once('drain', push);
      }
      response.end();
    };
    push();
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent: () => sent };
}

test('V-7: only the end of a log is kept', async () => {
  const { url } = await serve(100_000);
  const tail = await readLogTail(url, { tail: 100, most: 1e9, timeoutMs: 30_000 });
  expect(tail).toHaveLength(100);
  expect(tail?.endsWith('line 99999\nline 100000\n')).toBe(true);
});

test('V-7: a log that is too long is given up, and not read to its end', async () => {
  const { url, sent } = await serve(10_000_000);
  expect(await readLogTail(url, { tail: 100, most: 10_000, timeoutMs: 30_000 })).toBeUndefined();
  expect(sent()).toBeLessThan(10_000_000);
});

test('V-7: a log that is gone is none', async () => {
  const { url } = await serve(1, 410);
  expect(await readLogTail(url)).toBeUndefined();
});
