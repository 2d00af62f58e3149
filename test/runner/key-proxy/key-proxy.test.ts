import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { KeyHeader } from '../../../src/agents/key-route.ts';
import { openKeyProxy } from '../../../src/runner/key-proxy/key-proxy.ts';

const KEY = 'sk-the-real-key-0123456789';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(answer: Answer): Promise<{ url: URL; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((incoming, response) => {
    seen.push(incoming);
    incoming.resume();
    answer(incoming, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`), seen };
}

async function open(
  answer: Answer = (_, response) => response.end('{}'),
  {
    headers = ['x-api-key'],
    limits,
  }: { headers?: KeyHeader[]; limits?: { requests: number; atOnce: number; bodyBytes: number } } = {},
) {
  const { url, seen } = await serve(answer);
  const proxy = await openKeyProxy({
    upstream: url,
    paths: ['/messages', '/models/'],
    keys: new Map(headers.map((header) => [header, KEY])),
    env: {},
    limits,
  });
  onTestFinished(proxy.close);
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${proxy.url}${path}`, { method: 'POST', headers: { 'x-api-key': proxy.dummy }, ...init });
  return { ...proxy, seen, ask };
}

/** The status line of a request whose target is sent as it is written, which no URL parser has tidied up. */
async function askRaw(url: string, target: string, dummy: string, method = 'POST'): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`${method} ${target} HTTP/1.1\r\nHost: x\r\nx-api-key: ${dummy}\r\nContent-Length: 0\r\n\r\n`);
  const [data] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return data.toString().split('\r\n')[0] ?? '';
}

describe('S-4: the key proxy', () => {
  test.each([
    ['x-api-key', (key: string) => key],
    ['x-goog-api-key', (key: string) => key],
    ['authorization', (key: string) => `Bearer ${key}`],
  ] as const)('swaps the dummy in %s for the key, and passes no other login', async (header, write) => {
    const { ask, dummy, seen } = await open(undefined, { headers: [header] });
    const logins = { 'x-api-key': 'mine', authorization: 'Bearer mine', 'x-goog-api-key': 'mine' };
    const given = {
      ...logins,
      cookie: 'a=mine',
      'api-key': 'mine',
      [header]: write(dummy),
      'x-kept': 'kept',
    };
    expect((await ask('/messages?beta=true', { headers: given, body: '{"a":1}' })).status).toBe(200);
    expect(seen[0]?.headers).toMatchObject({ [header]: write(KEY), 'x-kept': 'kept', 'content-length': '7' });
    expect(seen[0]?.url).toBe('/v1/messages?beta=true');
    expect(JSON.stringify(seen[0]?.rawHeaders)).not.toContain('mine');
    expect(JSON.stringify(seen[0]?.rawHeaders)).not.toContain(dummy);
  });

  test.each(['', 'wrong', KEY])('answers 401 to the key "%s"', async (key) => {
    const { ask, seen } = await open();
    expect((await ask('/messages', { headers: { 'x-api-key': key } })).status).toBe(401);
    expect(seen).toEqual([]);
  });

  test.each([
    '/v1/files',
    '/v1/messages/batches',
    '/v1/models/../files',
    '/v1/models/%2e%2e/files',
    '/v1/models/%2E%2E%2ffiles',
    '/v1/models/..%5cfiles',
    '/v1/models/.../x',
    '/v1/models//x',
    '/v1//messages',
    '/v1/models\\..\\files',
    '/messages',
    '/v1/messages/',
    '/v1/messages;x',
    '//evil.test/v1/messages',
    'http://evil.test/v1/messages',
    '*',
  ])('answers 403 to %s', async (target) => {
    const { url, dummy, seen } = await open();
    expect(await askRaw(url, target, dummy)).toBe('HTTP/1.1 403 Forbidden');
    expect(seen).toEqual([]);
  });

  test('answers 403 to other methods, and opens no tunnel', async () => {
    const { url, dummy, ask, seen } = await open();
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      expect((await ask('/messages', { method })).status).toBe(403);
    const connecting = request({ port: new URL(url).port, method: 'CONNECT', path: 'evil.test:443' });
    connecting.setHeader('x-api-key', dummy);
    connecting.end();
    await once(connecting, 'error');
    expect(seen).toEqual([]);
  });

  test('passes an answer on while it is still being made', async () => {
    let finish = () => undefined as unknown;
    const { ask } = await open((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: one\n\n');
      finish = () => response.end('data: two\n\n');
    });
    const answer = await ask('/messages');
    const reader = answer.body?.getReader();
    const read = async () => Buffer.from((await reader?.read())?.value ?? []).toString();
    expect(await read()).toBe('data: one\n\n');
    finish();
    expect(await read()).toBe('data: two\n\n');
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
  });

  test.each([400, 401, 429, 500, 529])('passes %i on, with its words and headers', async (status) => {
    const { ask } = await open((_, response) => {
      response.writeHead(status, { 'retry-after': '7', 'content-type': 'application/json' });
      response.end('{"error":"its words"}');
    });
    const answer = await ask('/messages');
    expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([
      status,
      '7',
      '{"error":"its words"}',
    ]);
  });

  test('cuts an answer that the provider cut, and gives up a request that the agent gave up', async () => {
    const gone = Promise.withResolvers<void>();
    const { ask } = await open((incoming, response) => {
      response.on('close', gone.resolve);
      response.write('half');
      if (incoming.headers['x-cut']) response.destroy();
    });
    const { dummy, ...rest } = await open((incoming, response) => {
      response.write('half');
      incoming.on('end', () => response.destroy());
    });
    await expect(rest.ask('/messages', { body: 'x' }).then((answer) => answer.text())).rejects.toThrow();
    const leaving = new AbortController();
    await ask('/messages', { signal: leaving.signal });
    leaving.abort();
    await gone.promise;
  });

  test('gives up a request that the agent gave up before there was an answer', async () => {
    const came = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<string>();
    const { ask } = await open((_, response) => {
      response.on('close', () => gone.resolve('given up'));
      came.resolve();
    });
    const leaving = new AbortController();
    const asked = ask('/messages', { signal: leaving.signal, body: 'x' }).catch(() => 'left');
    await came.promise;
    leaving.abort();
    expect(await asked).toBe('left');
    expect(await gone.promise).toBe('given up');
  });

  test('is used only so often, so many at once, and for bodies of some size', async () => {
    const limits = { requests: 3, atOnce: 1, bodyBytes: 10 };
    let finish = () => undefined as unknown;
    const { ask } = await open(
      (incoming, response) => {
        finish = () => response.end();
        if (!incoming.headers['x-hold']) finish();
        else response.flushHeaders();
      },
      { limits },
    );
    expect((await ask('/messages', { body: 'x'.repeat(11) })).status).toBe(413);
    const { dummy, ask: askHeld } = await open((_, response) => response.flushHeaders(), { limits });
    const held = await askHeld('/messages');
    expect((await askHeld('/messages')).status).toBe(429);
    await held.body?.cancel();
    expect(dummy).not.toBe('');
    for (const status of [200, 200, 200, 429])
      expect((await ask('/messages', { body: '1' }).then(finished)).status).toBe(status);
  });

  test('a body without a length is bounded, too', async () => {
    const { ask } = await open((incoming, response) => void incoming.on('end', () => response.end()), {
      limits: { requests: 3, atOnce: 1, bodyBytes: 10 },
    });
    const body = ReadableStream.from([Buffer.from('123456'), Buffer.from('123456')]);
    expect((await ask('/messages', { body, duplex: 'half' } as RequestInit)).status).toBe(413);
  });

  test('says which server cannot be reached, and opens nothing once it is closed', async () => {
    const proxy = await openKeyProxy({
      upstream: new URL('http://127.0.0.1:1'),
      paths: ['/messages'],
      keys: new Map([['x-api-key', KEY]]),
      env: {},
    });
    const headers = { 'x-api-key': proxy.dummy };
    const answer = await fetch(`${proxy.url}/messages`, { headers });
    expect(answer.status).toBe(502);
    expect(await answer.text()).toContain('127.0.0.1:1 cannot be reached: ECONNREFUSED');
    await proxy.close();
    await expect(fetch(`${proxy.url}/messages`, { headers })).rejects.toThrow();
  });
});

async function finished(answer: Response): Promise<Response> {
  await answer.arrayBuffer();
  return answer;
}
