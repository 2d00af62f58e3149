import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as listenForConnections, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { holdServerLock } from '../src/store/server-lock.ts';
import { openSqliteStore } from '../src/store/sqlite.ts';
import { startPostgres } from './store/hosted/postgres-server.ts';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const secret = 'canary-secret-of-enough-length';
const key = randomBytes(32).toString('base64');
const root = join(import.meta.dirname, '..');
const LABELLED = {
  action: 'labeled',
  label: { name: 'autobuild' },
  issue: { number: 7, title: 'canary-payload' },
  repository: { id: 77, name: 'shop', owner: { login: 'rosa' } },
  sender: { login: 'rosa', type: 'User' },
  installation: { id: 5 },
};
let directory: string;
let github: Server;
let isGitHubSilent: boolean;
let child: ChildProcess | undefined;
let output = '';

beforeEach(async () => {
  // A GitHub that knows nothing: every delivery fails, and is kept for later.
  isGitHubSilent = false;
  github = createServer((request, response) => {
    request.resume();
    if (isGitHubSilent) return;
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"Not Found"}');
  });
  await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
  directory = mkdtempSync(join(tmpdir(), 'autobuild-server-'));
  output = '';
});
afterEach(async () => {
  if (child && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  github.closeAllConnections();
  await new Promise((resolve) => github.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

function start(script: string, env: Record<string, string>, options: string[] = []): ChildProcess {
  child = spawn(process.execPath, [...options, join(root, script)], {
    cwd: directory,
    env: { PATH: process.env.PATH, ...env },
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return child;
}

const NO_LONG_TIMERS = ['--import', join(root, 'test/fixtures/processes/no-long-timers.mjs')];
/** Far less than a timer that never fires, and than the time after which Node itself ends a request. */
const ENDED_MS = 50_000;

const settings = () => ({
  APP_ID: '123',
  PRIVATE_KEY: privateKey,
  WEBHOOK_SECRET: secret,
  AUTOBUILD_DB: join(directory, 'desk.db'),
  AUTOBUILD_KEYS: key,
  PUBLIC_URL: 'https://autobuild.example.com',
  HOST: '127.0.0.1',
  PORT: '0',
  GHE_HOST: `127.0.0.1:${(github.address() as AddressInfo).port}`,
  GHE_PROTOCOL: 'http',
});

async function serve(options?: string[]): Promise<string> {
  start('src/server.ts', settings(), options);
  await expect.poll(() => output).toContain('autobuild serves');
  return `http://127.0.0.1:${/"port":(\d+)/.exec(output)?.[1]}`;
}

test('without its settings it says which are missing, and exits', async () => {
  const [code] = await once(start('src/server.ts', {}), 'close');
  expect(code).toBe(1);
  for (const name of [
    'APP_ID',
    'PRIVATE_KEY',
    'WEBHOOK_SECRET',
    'AUTOBUILD_DB',
    'AUTOBUILD_KEYS',
    'PUBLIC_URL',
  ])
    expect(output).toContain(`${name} is not set`);
  expect(output).toContain('.env.example');
  expect(output).not.toMatch(/\n\s+at /);
});

test('without its database it says which one cannot be reached, never by what password, and exits', async () => {
  const { AUTOBUILD_DB: _, ...others } = settings();
  const DATABASE_URL = 'postgres://desk:canary%21word@127.0.0.1:1/desk';
  const [code] = await once(start('src/server.ts', { ...others, DATABASE_URL }), 'close');
  expect(code).toBe(1);
  expect(output).toContain('PostgreSQL at 127.0.0.1:1 cannot be reached: connect ECONNREFUSED');
  expect(output).toContain('fix DATABASE_URL');
  expect(output).not.toMatch(/canary|\n\s+at /);
});

test('a database file that cannot be opened is named, and so is a key that does not fit', async () => {
  writeFileSync(join(directory, 'file'), 'not a directory');
  const AUTOBUILD_DB = join(directory, 'file', 'desk.db');
  const [code] = await once(start('src/server.ts', { ...settings(), AUTOBUILD_DB }), 'close');
  expect(code).toBe(1);
  expect(output).toContain(`The database file ${AUTOBUILD_DB} cannot be opened: `);
  expect(output).toContain('Set AUTOBUILD_DB');
  await (await openSqliteStore({ file: settings().AUTOBUILD_DB, key })).close();
  const AUTOBUILD_KEYS = randomBytes(32).toString('base64');
  await once(start('src/server.ts', { ...settings(), AUTOBUILD_KEYS }), 'close');
  expect(output).toContain('The key does not fit this database.');
  expect(output).not.toMatch(/\n\s+at /);
});

test('a second server on the same database file is refused, with the name of the first', async () => {
  const file = settings().AUTOBUILD_DB;
  const lock = holdServerLock(file);
  try {
    const [code] = await once(start('src/server.ts', settings()), 'close');
    expect(code).toBe(1);
    expect(output).toContain(file);
    expect(output).toContain(String(process.pid));
    expect(output).not.toContain('cannot be opened');
    expect(output).not.toMatch(/\n\s+at /);
  } finally {
    lock.release();
  }
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s: what was acknowledged is kept, the App stops',
  async (signal) => {
    const url = await serve();
    const body = JSON.stringify(LABELLED);
    const answer = await fetch(`${url}/api/github/webhooks`, {
      method: 'POST',
      body,
      headers: {
        'x-github-delivery': 'd-1',
        'x-github-event': 'issues',
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      },
    });
    expect(answer.status).toBe(202);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await expect.poll(() => output).toContain('will be tried again');
    child?.kill(signal);
    const [code] = await once(child as ChildProcess, 'close');
    expect(code).toBe(0);
    expect(output).toContain('autobuild has stopped');
    for (const canary of ['canary', key, 'PRIVATE KEY']) expect(output).not.toContain(canary);
    const store = await openSqliteStore({ file: join(directory, 'desk.db'), key });
    expect(await store.inbox.size()).toEqual({ waiting: 1, busy: 0, buried: 0 });
    await store.close();
  },
);

test(
  'R-3: SIGTERM ends an App with nothing under way, and no timer of more than a second is waited for, although GitHub does not answer and a body does not arrive',
  async () => {
    isGitHubSilent = true;
    const asked = once(github, 'request');
    const url = new URL(await serve(NO_LONG_TIMERS));
    await asked;
    const half = connect(Number(url.port), url.hostname);
    half.on('error', () => undefined);
    half.write('POST /api/jobs/claim HTTP/1.1\r\nhost: desk\r\ncontent-length: 9\r\n\r\nhalf');
    // The server reads connections in the order in which they were opened.
    expect((await fetch(`${url}healthz`)).status).toBe(200);
    child?.kill('SIGTERM');
    const [code] = await once(child as ChildProcess, 'close');
    half.destroy();
    expect(code).toBe(0);
    expect(output).toContain('autobuild has stopped');
  },
  ENDED_MS,
);

test(
  'R-3: SIGTERM ends an App that has not begun to serve, because its database takes the connection and never answers',
  async () => {
    const silent = listenForConnections();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { AUTOBUILD_DB: _, ...others } = settings();
    const DATABASE_URL = `postgres://desk@127.0.0.1:${(silent.address() as AddressInfo).port}/desk`;
    const connected = once(silent, 'connection');
    start('src/server.ts', { ...others, DATABASE_URL }, NO_LONG_TIMERS);
    const [connection] = await connected;
    child?.kill('SIGTERM');
    const [code] = await once(child as ChildProcess, 'close');
    connection.destroy();
    silent.close();
    expect(code).toBe(0);
    expect(output).toContain('autobuild stops');
    expect(output).toContain('autobuild has stopped');
  },
  ENDED_MS,
);

test(
  'R-3: SIGTERM ends an App whose database does not answer any more',
  async () => {
    const postgres = await startPostgres();
    const database = new URL(await postgres.createDatabase());
    const [host, port] = [database.hostname, Number(database.port)];
    const between: Socket[] = [];
    const proxy = listenForConnections((near) => {
      const far = connect(port, host);
      between.push(near, far);
      near.on('error', () => undefined).pipe(far);
      far.on('error', () => undefined).pipe(near);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    database.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { AUTOBUILD_DB: _, ...others } = settings();
    start('src/server.ts', { ...others, DATABASE_URL: database.href });
    await expect.poll(() => output).toContain('autobuild serves');
    for (const socket of between) socket.unpipe().pause();
    child?.kill('SIGTERM');
    const [code] = await once(child as ChildProcess, 'close');
    for (const socket of between) socket.destroy();
    proxy.close();
    await postgres.close();
    expect(code).toBe(0);
    expect(output).toContain('autobuild has stopped');
  },
  ENDED_MS,
);
