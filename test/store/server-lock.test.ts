import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UserError } from '../../src/core/error-catalogue.ts';
import { openStore } from '../../src/store/open-store.ts';
import { holdServerLock } from '../../src/store/server-lock.ts';
import { KEY } from './hosted/backend.ts';
import { request } from './hosted/commits.ts';

const SCRIPT = `
  const { holdServerLock } = await import(process.argv[1]);
  holdServerLock(process.argv[2]);
  process.stdout.write('holds');
  setInterval(() => undefined, 1000);
`;
const MODULE = join(import.meta.dirname, '../../src/store/server-lock.ts');

let directory: string;
let file: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'autobuild-lock-'));
  file = join(directory, 'data', 'autobuild.db');
});
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
  rmSync(directory, { recursive: true, force: true });
});

/** Another server, which holds the lock. */
async function startHolder(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, MODULE, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [said] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  expect(String(said)).toBe('holds');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

test('a second server on a database file is refused, and told which process has it', async () => {
  const holder = await startHolder();
  const refused = (() => {
    try {
      return holdServerLock(file);
    } catch (error) {
      return error;
    }
  })();
  expect(refused).toBeInstanceOf(UserError);
  expect((refused as Error).message).toBe(
    `The database file ${file} is in use by another server (process ${holder.pid} on ${hostname()}). ` +
      'A database file is for one server; for several use PostgreSQL.',
  );
  // A crash releases the lock.
  await kill(holder);
  holdServerLock(file).release();
  holdServerLock(file).release();
});

test('a store that a server holds can still be opened by others', async () => {
  await startHolder();
  const store = await openStore({ file, key: KEY });
  expect(await store.runs.commit('r1', 0, request('r1'))).toMatchObject({ ok: true });
  await store.close();
});

test('the lock is for its owner only, and within one process it is also held once', () => {
  const held = holdServerLock(file);
  expect(() => holdServerLock(file)).toThrow(`process ${process.pid} on `);
  for (const name of readdirSync(join(file, '..')))
    expect(statSync(join(file, '..', name)).mode & 0o777).toBe(0o600);
  held.release();
});

test('R-6: a second server is refused also by another name of the file', () => {
  const link = join(directory, 'link');
  mkdirSync(join(directory, 'data'));
  symlinkSync(join(directory, 'data'), link);
  const held = holdServerLock(file);
  expect(() => holdServerLock(join(link, 'autobuild.db'))).toThrow(`process ${process.pid} on `);
  writeFileSync(file, '');
  symlinkSync(file, join(directory, 'other.db'));
  expect(() => holdServerLock(join(directory, 'other.db'))).toThrow(`process ${process.pid} on `);
  held.release();
});

test('R-6: a second server is refused also where the first one came by a link to a file that was not there yet', () => {
  const link = join(directory, 'link.db');
  const real = join(directory, 'real.db');
  symlinkSync(real, link);
  const held = holdServerLock(link);
  expect(() => holdServerLock(real)).toThrow(`process ${process.pid} on `);
  expect(() => holdServerLock(link)).toThrow(`process ${process.pid} on `);
  held.release();
});

test('a database in memory needs no lock, and leaves no file', () => {
  const [one, other] = [holdServerLock(':memory:'), holdServerLock(':memory:')];
  one.release();
  other.release();
  expect(existsSync(':memory:.server')).toBe(false);
});
