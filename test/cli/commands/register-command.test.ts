import { createPrivateKey } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { registerCommand } from '../../../src/cli/commands/register-command.ts';
import { readOptions } from '../../../src/cli/options.ts';
import type { Answer, Call } from '../../../src/sandbox/github/gap.ts';
import { type LocalGitHub, startLocalGitHub } from '../../../src/sandbox/github.ts';
import { readSettings } from '../../../src/web/read-settings.ts';
import { checkRequest, checkResponse } from '../../github/openapi-contract.ts';

const DESK = 'https://autobuild.example.com';

let github: LocalGitHub;
let directory: string;
let printed: string[];
let exchanges: { call: Call; answer: Answer }[];

beforeAll(async () => {
  github = await startLocalGitHub({
    owner: 'olivia',
    name: 'shop',
    people: {},
    startJob: () => ({ ended: new Promise(() => undefined), cancel: () => undefined }),
    onExchange: (exchange) => void exchanges.push(exchange),
  });
});
afterAll(() => github.close());
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ab-reg-'));
  printed = [];
  exchanges = [];
});

/** What a browser does: the person presses the button, and GitHub leads back. */
async function pressButton(
  page: string,
): Promise<{ back: string; form: { action: string; manifest: string } }> {
  const html = await (await fetch(page)).text();
  const value = (pattern: RegExp) =>
    (pattern.exec(html)?.[1] ?? '').replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  const form = { action: value(/action="([^"]*)"/), manifest: value(/name="manifest" value="([^"]*)"/) };
  const answer = await fetch(form.action, {
    method: 'POST',
    body: new URLSearchParams({ manifest: form.manifest }),
    redirect: 'manual',
  });
  return { back: answer.headers.get('location') ?? `${answer.status} ${await answer.text()}`, form };
}

interface Story {
  flags?: string[];
  host?: string;
  /** Gets the page's address, and the person's way to stop the command. */
  person(page: string, stop: AbortController): Promise<unknown>;
  waitMs?: number;
}

async function register({ flags = [], host = github.host, person, waitMs = 5_000 }: Story): Promise<void> {
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const stop = new AbortController();
  let acted: Promise<unknown> = Promise.resolve();
  const argv = ['register', '--desk', `${DESK}/`, '--host', host, '--directory', directory, ...flags];
  const print = (line: string) => {
    printed.push(line);
    const page = /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(line)?.[0];
    if (page && line.includes('confirm the name')) acted = person(page, stop);
    // Nobody waits for a webhook, unless the test sends one.
    if (line.startsWith('Waiting') && waitMs === 5_000) stop.abort();
  };
  try {
    await registerCommand(readOptions(argv, directory), {
      print,
      signal: stop.signal,
      now: () => new Date(),
      protocol: 'http',
      openBrowser: () => undefined,
      waitMs,
      lookMs: 5,
    });
  } finally {
    await acted;
  }
}

const follow = async (page: string) => fetch((await pressButton(page)).back);
const env = () => parseEnv(readFileSync(join(directory, '.env'), 'utf8'));

test('C-1: the App is registered from its manifest, and the server starts with the file that was written', async () => {
  let form: { action: string; manifest: string } | undefined;
  await register({
    async person(page) {
      const pressed = await pressButton(page);
      form = pressed.form;
      await fetch(pressed.back);
    },
  });
  expect(form?.action).toMatch(new RegExp(`^http://${github.host}/settings/apps/new\\?state=[\\w-]{32}$`));
  expect(JSON.parse(form?.manifest ?? '')).toMatchObject({
    url: DESK,
    hook_attributes: { url: `${DESK}/api/github/webhooks` },
    callback_urls: [`${DESK}/auth/callback`],
    default_permissions: { statuses: 'read' },
  });
  const settings = readSettings(env() as Record<string, string>, () => '');
  expect(settings).toMatchObject({
    appId: github.appId,
    webhookSecret: github.webhookSecret,
    publicUrl: DESK,
    apiUrl: `http://${github.host}/api/v3`,
  });
  expect(createPrivateKey(settings.privateKey).export({ type: 'pkcs8', format: 'pem' })).toBe(
    createPrivateKey(github.privateKey).export({ type: 'pkcs8', format: 'pem' }),
  );
  expect(statSync(join(directory, '.env')).mode & 0o777).toBe(0o600);
  const text = printed.join('\n');
  for (const secret of Object.entries(env()).filter(([name]) => /KEY|SECRET/.test(name)))
    expect(text).not.toContain(secret[1]);
  expect(text).toContain('/installations/new');
  for (const { call, answer } of exchanges)
    expect([
      ...checkRequest(call.method, call.path, call.method === 'GET' ? undefined : call.body),
      ...checkResponse(call.method, call.path, answer.status, answer.body),
    ]).toEqual([]);
});

test('C-1: --org registers it for an organisation; a host of Enterprise is told what it lacks', async () => {
  let action = '';
  await register({
    flags: ['--org', 'octo-org'],
    async person(page) {
      const pressed = await pressButton(page);
      action = pressed.form.action;
      await fetch(pressed.back);
    },
  });
  expect(action).toContain('/organizations/octo-org/settings/apps/new?state=');
  expect(printed.join('\n')).toContain('no artifacts of version 4');
});

test('C-1: the first webhook that the server takes ends the wait; one that did not arrive is told', async () => {
  const answers = [502, 502, 202];
  const deliver = (status_code: number) => ({
    guid: 'g',
    delivered_at: '2026-11-16T09:00:00Z',
    status_code,
    status: status_code === 202 ? 'OK' : 'failed to connect to host',
    event: 'ping',
  });
  const real = fetch;
  onTestFinished(() => {
    globalThis.fetch = real;
  });
  globalThis.fetch = async (input, init) =>
    String(input).includes('/app/hook/deliveries')
      ? Response.json([deliver(answers.shift() ?? 202)])
      : real(input, init);
  await register({ person: follow, waitMs: 20_000 });
  const told = printed.slice(printed.findIndex((line) => line.startsWith('Waiting')) + 1);
  expect(told).toEqual([
    '  ping did not arrive: 502 failed to connect to host',
    '✓ The webhook ping arrived.',
    expect.stringContaining('autobuild init'),
  ]);
});

test('an answer with another state registers nothing, and the right one still does', async () => {
  await register({
    async person(page) {
      const { back } = await pressButton(page);
      const wrong = new URL(back);
      wrong.searchParams.set('state', 'x'.repeat(32));
      expect((await fetch(wrong)).status).toBe(400);
      expect((await fetch(new URL('/', page))).status).toBe(404);
      expect(existsSync(join(directory, '.env'))).toBe(false);
      expect((await fetch(back)).status).toBe(200);
    },
  });
  expect(env().APP_ID).toBe(String(github.appId));
});

test('a code that was used before is refused with the way out, and nothing is written', async () => {
  const story = register({
    async person(page) {
      const { back } = await pressButton(page);
      const code = new URL(back).searchParams.get('code');
      await fetch(`http://${github.host}/api/v3/app-manifests/${code}/conversions`, { method: 'POST' });
      expect((await fetch(back)).status).toBe(502);
    },
  });
  await expect(story).rejects.toThrow('it was used before, or has expired');
  expect(existsSync(join(directory, '.env'))).toBe(false);
});

test('a host that cannot be reached, a person who stops or does not come: nothing is written', async () => {
  const unreachable = register({
    host: '127.0.0.1:1',
    async person(page) {
      const html = await (await fetch(page)).text();
      const state = /state&#61;([\w-]+)|state=([\w-]+)/.exec(html);
      await fetch(`${page}/registered?code=abc&state=${state?.[1] ?? state?.[2]}`);
    },
  });
  await expect(unreachable).rejects.toThrow('did not give its credentials');
  await expect(register({ person: async (_, stop) => stop.abort() })).rejects.toThrow('Stopped before');
  await expect(register({ person: async () => undefined, waitMs: 20 })).rejects.toThrow('in time');
  expect(existsSync(join(directory, '.env'))).toBe(false);
});

test('a name that is taken is said by GitHub, and the page still works', async () => {
  const story = register({
    flags: ['--name', 'Taken'],
    async person(page, stop) {
      expect((await pressButton(page)).back).toContain('422');
      expect((await fetch(page)).status).toBe(200);
      stop.abort();
    },
  });
  await expect(story).rejects.toThrow('Stopped before');
});

test('credentials in .env are replaced only with --force; other lines and the keys of the store stay', async () => {
  const before = `# ours\nNOTIFY_URL=https://example.com/x\nAPP_ID=7\nPRIVATE_KEY="-----BEGIN\nold\n-----END"\nAUTOBUILD_KEYS=${'a'.repeat(64)}\n`;
  writeFileSync(join(directory, '.env'), before);
  const person = follow;
  await expect(register({ person })).rejects.toThrow('has APP_ID, PRIVATE_KEY already');
  expect(readFileSync(join(directory, '.env'), 'utf8')).toBe(before);
  await register({ person, flags: ['--force'] });
  const text = readFileSync(join(directory, '.env'), 'utf8');
  expect(text).toMatch(/^# ours\nNOTIFY_URL=https:\/\/example.com\/x\nAUTOBUILD_KEYS=a{64}\n/);
  expect(text).not.toContain('old');
  expect(env()).toMatchObject({ APP_ID: String(github.appId), AUTOBUILD_KEYS: 'a'.repeat(64) });
});

test.each([
  [['--desk', 'http://autobuild.example.com'], '--desk takes the https address'],
  [['--desk', 'nonsense'], '--desk takes the https address'],
  [['--desk', DESK, '--host', 'https://github.example.com'], '--host takes a host name'],
  [['--desk', DESK, '--org', 'a/b'], '--org takes the name'],
  [['--desk', DESK, '--name', '<b>'], '--name takes up to 34'],
])('%j is refused before anything happens', async (flags, words) => {
  const context = { print: () => undefined, signal: new AbortController().signal, now: () => new Date() };
  await expect(registerCommand(readOptions(['register', ...flags], '/tmp'), context)).rejects.toThrow(words);
});

test('a directory that is not there is said before anything happens', async () => {
  const context = { print: () => undefined, signal: new AbortController().signal, now: () => new Date() };
  const options = readOptions(['register', '--desk', DESK, '--directory', '/no/such/place'], '/tmp');
  await expect(registerCommand(options, context)).rejects.toThrow('/no/such/place/.env cannot be written');
});
