import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UserError } from '../../src/core/error-catalogue.ts';
import { readSettings } from '../../src/web/read-settings.ts';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const GOOD = {
  APP_ID: '123',
  PRIVATE_KEY: privateKey,
  WEBHOOK_SECRET: 'canary-secret-of-enough-length',
  AUTOBUILD_DB: './data/autobuild.db',
  AUTOBUILD_KEYS: Buffer.alloc(32, 1).toString('base64'),
  PUBLIC_URL: 'https://autobuild.example.com/',
};

function noFile(): never {
  throw Object.assign(new Error('no'), { code: 'ENOENT' });
}

function problemsWith(changes: Record<string, string | undefined>): string {
  try {
    readSettings({ ...GOOD, ...changes }, noFile);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    expect(error.code).toBe('settings_unusable');
    expect(error.remedy).toContain('.env.example');
    expect(error.remedy).toContain('autobuild register');
    return error.message;
  }
  return '';
}

test('what is enough', () => {
  expect(readSettings(GOOD, noFile)).toEqual({
    appId: 123,
    privateKey: privateKey.trim(),
    webhookSecret: GOOD.WEBHOOK_SECRET,
    databaseFile: './data/autobuild.db',
    keys: GOOD.AUTOBUILD_KEYS,
    publicUrl: 'https://autobuild.example.com',
    host: '0.0.0.0',
    port: 3000,
    apiUrl: 'https://api.github.com',
    webUrl: 'https://github.com',
    logLevel: 'info',
    label: 'autobuild',
  });
});

test.each([
  ['with \\n', privateKey.replaceAll('\n', '\\n')],
  ['in base64', Buffer.from(privateKey).toString('base64')],
])('a private key %s', (_, text) => {
  expect(readSettings({ ...GOOD, PRIVATE_KEY: text }, noFile).privateKey.trim()).toBe(privateKey.trim());
});

test('a private key in a file', () => {
  const env = { ...GOOD, PRIVATE_KEY: undefined, PRIVATE_KEY_PATH: 'key.pem' };
  expect(readSettings(env, (path) => (path === 'key.pem' ? privateKey : '')).privateKey).toBe(privateKey);
});

test('PostgreSQL, GitHub Enterprise and other places', () => {
  const env = {
    ...GOOD,
    AUTOBUILD_DB: undefined,
    DATABASE_URL: 'postgresql://db/x',
    GHE_HOST: 'github.example.com',
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'WARN',
    PUBLIC_URL: 'http://localhost:3000',
  };
  expect(readSettings(env, noFile)).toMatchObject({
    databaseUrl: 'postgresql://db/x',
    apiUrl: 'https://github.example.com/api/v3',
    port: 0,
    host: '127.0.0.1',
    logLevel: 'warn',
    publicUrl: 'http://localhost:3000',
  });
});

test.each([
  ['APP_ID', undefined],
  ['APP_ID', 'Iv1.abc'],
  ['PRIVATE_KEY', undefined],
  ['PRIVATE_KEY', '-----BEGIN RSA PRIVATE KEY-----\ncanary\n-----END RSA PRIVATE KEY-----'],
  ['PRIVATE_KEY', 'canary'],
  ['WEBHOOK_SECRET', undefined],
  ['WEBHOOK_SECRET', ' '],
  ['WEBHOOK_SECRET', 'canary'],
  ['WEBHOOK_SECRET', 'development'],
  ['AUTOBUILD_DB', undefined],
  ['DATABASE_URL', 'mysql://canary'],
  ['AUTOBUILD_KEYS', undefined],
  ['AUTOBUILD_KEYS', `${GOOD.AUTOBUILD_KEYS},canary`],
  ['PUBLIC_URL', undefined],
  ['PUBLIC_URL', 'autobuild.example.com'],
  ['PUBLIC_URL', 'http://autobuild.example.com'],
  ['PUBLIC_URL', 'https://canary@autobuild.example.com'],
  ['PORT', '65536'],
  ['PORT', 'http'],
  ['GHE_HOST', 'https://github.example.com'],
  ['GITHUB_URL', 'github.example.com'],
  ['GITHUB_URL', 'ftp://canary'],
  ['GITHUB_URL', 'https://canary@github.example.com'],
  ['LOG_LEVEL', 'loud'],
  ['AUTOBUILD_LABEL', 'a,canary'],
  ['NOTIFY_URL', 'http://canary'],
])('%s=%s is refused by name, with what it takes, and without its value', (name, value) => {
  const alone = name === 'DATABASE_URL' ? { AUTOBUILD_DB: undefined } : {};
  const problems = problemsWith({ ...alone, [name]: value })
    .split('\n')
    .slice(1);
  expect(problems).toHaveLength(1);
  expect(problems[0]?.trim()).toMatch(new RegExp(`^${name}.{20,}\\.$`));
  expect(problems[0]).not.toContain('canary');
});

test('a key file that is not there, a half-named GitHub and two databases', () => {
  expect(problemsWith({ PRIVATE_KEY: undefined, PRIVATE_KEY_PATH: '/x' })).toContain(
    'PRIVATE_KEY_PATH cannot be read (ENOENT)',
  );
  expect(problemsWith({ GHE_HOST: 'x', GHE_PROTOCOL: 'ftp' })).toContain('GHE_PROTOCOL');
  expect(problemsWith({ DATABASE_URL: 'postgres://x' })).toContain('both set');
});

test.each([
  [{ GHE_HOST: 'ghe.example.com' }, 'https://ghe.example.com'],
  [{ GHE_HOST: '127.0.0.1:4800', GHE_PROTOCOL: 'http' }, 'http://127.0.0.1:4800'],
  [{ GHE_HOST: 'api.internal', GITHUB_URL: 'https://ghe.example.com/' }, 'https://ghe.example.com'],
])('%j: people see GitHub at %s', (given, webUrl) => {
  expect(readSettings({ ...GOOD, ...given }, noFile).webUrl).toBe(webUrl);
});

test('all that is wrong is said at once', () => {
  const empty = Object.fromEntries(Object.keys(GOOD).map((name) => [name, undefined]));
  const problems = problemsWith(empty);
  for (const name of Object.keys(GOOD)) expect(problems).toContain(name);
});

test('.env.example names every variable that is read', () => {
  const example = readFileSync(join(import.meta.dirname, '../../.env.example'), 'utf8');
  const source = readFileSync(join(import.meta.dirname, '../../src/web/read-settings.ts'), 'utf8');
  const read = [...source.matchAll(/get\('([A-Z_]+)'\)/g)].map(([, name]) => name);
  expect(read.length).toBeGreaterThan(10);
  for (const name of read) expect(example).toMatch(new RegExp(`^#?${name}=`, 'm'));
});
