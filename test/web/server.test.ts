import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Hono } from 'hono';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { StoreUnavailableError } from '../../src/core/ports/store-unavailable.ts';
import { createWebServer } from '../../src/web/server.ts';

/** Far longer than a test may take: a connection that is waited for fails the test by its time limit. */
const HOUR_MS = 3_600_000;

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const opened = Promise.withResolvers<void>();
const pages = new Hono()
  .get('/quick', (c) => c.text('quick'))
  .get('/slow', async (c) => {
    await opened.promise;
    return c.text('slow');
  });
const server = createWebServer({
  ingest: { handle: async (_, response) => void response.end() },
  jobs: new Hono(),
  runs: new Hono(),
  operate: new Hono(),
  pages,
  log: pino({ level: 'silent' }),
});

/** A connection on which something was sent, if anything. */
async function open(port: number, text = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.setEncoding('utf8').on('error', () => undefined);
  await once(socket, 'connect');
  if (text) socket.write(text);
  return socket;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: desk\r\n\r\n`;

test('the end waits for a running request, and for no connection without one', async () => {
  const port = await server.listen(0, '127.0.0.1');
  await open(port);
  await open(port, 'GET /quick HT');
  const kept = await open(port, get('/quick'));
  expect(String(await once(kept, 'data'))).toContain('200 OK');
  const slow = await open(port, get('/slow'));
  let answer = '';
  slow.on('data', (text) => {
    answer += text;
  });
  // The server reads connections in the order in which they were opened, so it has read the slow request, too.
  await once(await open(port, get('/quick')), 'data');
  const answered = once(slow, 'close');
  const closed = server.close(HOUR_MS);
  opened.resolve();
  await closed;
  await answered;
  expect(answer).toMatch(/200 OK(?:.|\s)*slow/);
});

test('R-3: the end waits only a moment for a request that does not arrive whole, and still for one that did', async () => {
  const [reading, answering] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const closing = createWebServer({
    ingest: { handle: async (_, response) => void response.end() },
    jobs: new Hono(),
    runs: new Hono(),
    operate: new Hono(),
    pages: new Hono()
      .post('/half', async (c) => {
        reading.resolve();
        return c.text(await c.req.text());
      })
      .post('/whole', async (c) => {
        await answering.promise;
        return c.text(await c.req.text());
      }),
    log: pino({ level: 'silent' }),
    timeouts: { arrivalMs: 1 },
  });
  const port = await closing.listen(0, '127.0.0.1');
  const whole = await open(port, 'POST /whole HTTP/1.1\r\nhost: desk\r\ncontent-length: 5\r\n\r\nwhole');
  const answer = once(whole, 'data');
  const half = await open(port, 'POST /half HTTP/1.1\r\nhost: desk\r\ncontent-length: 9\r\n\r\nhalf');
  await reading.promise;
  const dropped = once(half, 'close');
  const closed = closing.close(HOUR_MS);
  await dropped;
  answering.resolve();
  expect(String(await answer)).toMatch(/200 OK(?:.|\s)*whole/);
  await closed;
});

test('R-12: a store that is away is a page for a browser and JSON for a program, both to be tried again', async () => {
  const away = createWebServer({
    ingest: { handle: async (_, response) => void response.end() },
    jobs: new Hono(),
    runs: new Hono(),
    operate: new Hono(),
    pages: new Hono().get('/runs', () => {
      throw new StoreUnavailableError('the disk is full');
    }),
    log: pino({ level: 'silent' }),
  });
  const url = `http://127.0.0.1:${await away.listen(0, '127.0.0.1')}`;
  const ask = (path: string, accept: string) => fetch(`${url}${path}`, { headers: { accept } });
  const page = await ask('/runs', 'text/html,*/*');
  expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await page.text()).toContain('<h1>Not available right now</h1>');
  expect(await (await ask('/runs', 'application/json')).json()).toEqual({
    error: 'The store cannot be used now, try again.',
  });
  expect(await (await ask('/nowhere', 'text/html')).text()).toContain('<h1>There is nothing here</h1>');
  await away.close(0);
});
