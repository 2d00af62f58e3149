import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { findFreePort } from '../../src/sandbox/free-port.ts';
import { packOnce } from './packed.ts';
import { until } from './processes.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const DOCKERFILE = read('Dockerfile');
/** The user `node` of the image. */
const NODE_UID = 1000;

const instructions = [...DOCKERFILE.replaceAll('\\\n', '').matchAll(/^([A-Z]+) +(.*)$/gm)].map(
  ([, name = '', value = '']) => [name, value] as const,
);
/** The last stage. */
const image = instructions.slice(instructions.findLastIndex(([name]) => name === 'FROM'));
const all = (name: string) => image.flatMap(([found, value]) => (found === name ? [value] : []));
const jsonOf = (value = '') => JSON.parse(value.slice(value.indexOf('['))) as string[];
const imageEnvironment = Object.fromEntries(
  all('ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('=') as [string, string])),
);

test('the Dockerfile has no findings, and its image is slim, without root, with one volume', () => {
  expect(validate(DOCKERFILE)).toEqual([]);
  for (const [name, value] of instructions)
    if (name === 'FROM') expect(value).toMatch(/^node:24\.\d+\.\d+-\w+-slim( AS build)?$/);
  expect(instructions.filter(([name]) => name === 'ADD')).toEqual([]);
  expect(all('USER')).toEqual(['node']);
  expect(all('VOLUME').map(jsonOf)).toEqual([['/data']]);
  expect(all('HEALTHCHECK')).toHaveLength(1);
  // What is started as a list has no shell between, so that it gets the signals.
  expect(all('CMD').map(jsonOf)).toEqual([['autobuild', 'serve']]);
});

test('no file that git ignores, and nothing but what is packed, is sent to the build of the image', () => {
  const [first, ...allowed] = read('.dockerignore')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));
  expect(first).toBe('*');
  const names = allowed.map((line) => line.replace('!', ''));
  expect(names.filter((name) => !statSync(join(ROOT, name)))).toEqual([]);
  const copied = instructions.filter(([name, value]) => name === 'COPY' && !value.startsWith('--from'));
  for (const [, value] of copied)
    for (const file of value.split(' ').slice(0, -1)) expect([...names, '.']).toContain(file);
  expect(names).not.toContain('.env');
});

const Service = z.strictObject({
  build: z.literal('.').optional(),
  image: z.string(),
  env_file: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.union([z.string(), z.number()])),
  ports: z.array(z.string().startsWith('127.0.0.1:')).optional(),
  volumes: z.array(z.string()),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.enum(['service_started', 'service_healthy']) }))
    .optional(),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']),
  stop_grace_period: z
    .string()
    .regex(/^\d+s$/)
    .optional(),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  healthcheck: z
    .strictObject({ test: z.array(z.string()), interval: z.string(), timeout: z.string(), retries: z.int() })
    .optional(),
});
const Compose = z.strictObject({
  name: z.string(),
  services: z.strictObject({ app: Service, database: Service }),
  volumes: z.record(z.string(), z.null()),
});

test('compose.yml has the App and PostgreSQL, on this machine alone, with no secret in it', () => {
  const { services, volumes } = Compose.parse(parse(read('compose.yml')));
  const { app, database } = services;
  const used = [...app.volumes, ...database.volumes].map((mount) => mount.split(':')[0]);
  expect(used.toSorted()).toEqual(Object.keys(volumes).toSorted());
  expect(app.volumes).toEqual(['data:/data']);
  expect(Object.keys(app.depends_on ?? {})).toEqual(['database']);
  expect(database.healthcheck).toBeDefined();
  expect(database.image).toMatch(/^postgres:\d+\.\d+-\w+$/);
  expect(database.environment.POSTGRES_PASSWORD).toBe('$' + '{POSTGRES_PASSWORD}');
  expect(app.environment.DATABASE_URL).toMatch(
    /^postgres:\/\/autobuild:\$\{POSTGRES_PASSWORD:\?[^}]+\}@database\/autobuild$/,
  );
  expect(app.environment).toMatchObject({ AUTOBUILD_DB: '', PORT: Number(imageEnvironment.PORT) });
});

/** The image's directories below a temporary one, which its user may read, and `/data`, which it may write. */
async function unpackImage() {
  const top = mkdtempSync(join(tmpdir(), 'autobuild-container-'));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  chmodSync(top, 0o755);
  const { prefix } = await packOnce();
  const at = (path: string) => join(top, path);
  for (const directory of ['opt', 'bin', 'data']) mkdirSync(at(directory));
  cpSync(join(prefix, 'lib/node_modules/autobuild-agent'), at('opt/autobuild'), { recursive: true });
  symlinkSync(at('opt/autobuild/bin/autobuild.cjs'), at('bin/autobuild'));
  try {
    linkSync(process.execPath, at('bin/node'));
  } catch {
    copyFileSync(process.execPath, at('bin/node'));
  }
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(at('data'), NODE_UID, NODE_UID);
  chmodSync(at('data'), 0o700);
  return { at, user: isRoot ? { uid: NODE_UID, gid: NODE_UID } : {} };
}

test('the image’s command serves with its user, environment, volume and health check, and ends by SIGTERM', async () => {
  const { at, user } = await unpackImage();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const port = String(await findFreePort());
  const env = {
    ...imageEnvironment,
    AUTOBUILD_DB: imageEnvironment.AUTOBUILD_DB?.replace('/data', at('data')) ?? '',
    PORT: port,
    PATH: `${at('bin')}:/usr/bin:/bin`,
    HOME: at('data'),
    APP_ID: '1',
    PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().replaceAll('\n', '\\n'),
    WEBHOOK_SECRET: '0123456789abcdef0123456789abcdef',
    AUTOBUILD_KEYS: Buffer.alloc(32, 7).toString('base64'),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    GHE_HOST: await emptyGitHub(),
    GHE_PROTOCOL: 'http',
  };
  const options = { cwd: at('data'), env, ...user };
  const [program = '', ...args] = jsonOf(all('HEALTHCHECK')[0]);
  const health = () => spawnSync(program, args, options).status;
  expect(health()).toBe(1);

  const [command = '', ...rest] = jsonOf(all('CMD')[0]);
  const app = spawn(command, rest, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void app.kill('SIGKILL'));
  const log = collect(app);
  await until('the App serves', () => log().includes('autobuild serves') || app.exitCode !== null);
  expect([app.exitCode, health()], log()).toEqual([null, 0]);
  expect(statSync(env.AUTOBUILD_DB).uid).toBe(user.uid ?? process.getuid?.());

  const ended = once(app, 'exit');
  app.kill('SIGTERM');
  expect((await ended)[0], log()).toBe(0);
  expect(health()).toBe(1);
});

/** Answers at once that nothing is there. A host that does not answer would be asked again, also while the App ends. */
async function emptyGitHub(): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(404).end('{}'));
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  return () => text;
}
