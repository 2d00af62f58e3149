import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { serveSetUp } from '../../src/register/setup-server.ts';
import { type LocalGitHub, startLocalGitHub } from '../../src/sandbox/github.ts';
import { readSetUp } from '../../src/web/read-settings.ts';

let github: LocalGitHub;
beforeAll(async () => {
  github = await startLocalGitHub({
    owner: 'olivia',
    name: 'shop',
    people: {},
    startJob: () => ({ ended: new Promise(() => undefined), cancel: () => undefined }),
  });
});
afterAll(() => github.close());

async function serve() {
  const directory = mkdtempSync(join(tmpdir(), 'ab-setup-'));
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const { promise: line, resolve: print } = Promise.withResolvers<string>();
  const file = join(directory, '.env');
  const setUp = {
    publicUrl: 'https://autobuild.example.com',
    host: '127.0.0.1',
    port: 0,
    github: { host: github.host, protocol: 'http' as const },
  };
  const served = serveSetUp(setUp, { file, print, stopped });
  onTestFinished(async () => {
    stop();
    await served;
    rmSync(directory, { recursive: true, force: true });
  });
  const [, port = '', code = ''] = /localhost:(\d+)\/setup .*\/setup\/([\w-]+)$/.exec(await line) ?? [];
  const ask = (path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; location?: string; text: string }>((resolve, reject) => {
      const sent = request(
        { port, path, host: '127.0.0.1', headers: { host: `localhost:${port}`, ...headers } },
        async (response) => {
          let text = '';
          for await (const chunk of response) text += chunk;
          resolve({ status: response.statusCode ?? 0, location: response.headers.location, text });
        },
      );
      sent.on('error', reject).end();
    });
  return { served, stop, ask, code, file };
}

test('S-1: /setup leads this machine to the registration; others need the code from the log', async () => {
  const { ask, code, served, stop } = await serve();
  expect(await ask('/setup')).toMatchObject({
    status: 303,
    location: expect.stringContaining(`/setup/${code}`),
  });
  for (const headers of [
    { host: 'autobuild.example.com' },
    { 'x-forwarded-for': '203.0.113.9' },
    { forwarded: 'for=203.0.113.9' },
  ] as Record<string, string>[]) {
    const { status, location, text } = await ask('/setup', headers);
    expect({ status, location }).toEqual({ status: 403, location: undefined });
    expect(text).not.toContain(code);
  }
  expect((await ask(`/setup/${code}`, { host: 'autobuild.example.com' })).text).toContain('Register on');
  expect((await ask(`/setup/${code}`, { host: 'evil.example' })).status).toBe(400);
  expect((await ask('/setup/another-code')).status).toBe(503);
  expect((await ask('/healthz')).status).toBe(503);
  stop();
  expect(await served).toBe(false);
});

test('C-1: registered by /setup, the server has its credentials', async () => {
  const { ask, code, served, file } = await serve();
  const { text } = await ask(`/setup/${code}`);
  const value = (pattern: RegExp) =>
    (pattern.exec(text)?.[1] ?? '').replace(/&#(\d+);/g, (_, given) => String.fromCharCode(Number(given)));
  const answer = await fetch(value(/action="([^"]*)"/), {
    method: 'POST',
    body: new URLSearchParams({ manifest: value(/name="manifest" value="([^"]*)"/) }),
    redirect: 'manual',
  });
  const back = new URL(answer.headers.get('location') ?? '');
  expect((await ask(`${back.pathname}${back.search}`)).status).toBe(200);
  expect(await served).toBe(true);
  expect(parseEnv(readFileSync(file, 'utf8'))).toMatchObject({ APP_ID: String(github.appId) });
});

test('a server that has any credentials, or no address, is not set up by a page', () => {
  const PUBLIC_URL = 'https://autobuild.example.com';
  expect(readSetUp({ PUBLIC_URL })).toEqual({
    publicUrl: PUBLIC_URL,
    port: 3000,
    host: '0.0.0.0',
    github: { host: 'github.com', protocol: 'https' },
  });
  expect(readSetUp({})).toBeUndefined();
  for (const name of ['APP_ID', 'PRIVATE_KEY', 'PRIVATE_KEY_PATH', 'WEBHOOK_SECRET'])
    expect(readSetUp({ PUBLIC_URL, [name]: 'x' })).toBeUndefined();
});
