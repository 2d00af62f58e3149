import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { acquireLock } from '../../../src/runner/workspace/worktree-lock.ts';
import { makeTemporaryDirectory } from '../temporary-worktree.ts';

const holder = (pid: number, run = 'r1') => ({
  pid,
  startedAt: '2026-01-02T03:04:05.000Z',
  run,
  command: 'autobuild run issue.md',
});

async function startProcess(): Promise<ChildProcess & { pid: number }> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child as ChildProcess & { pid: number };
}

async function killAndReap(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

test('the second is told who holds it, and may have it after the release', async () => {
  const file = join(makeTemporaryDirectory(), 'locks/run.lock');
  const first = await acquireLock(file, holder(process.pid, 'r1'));
  expect(first.ok).toBe(true);
  expect(await acquireLock(file, holder(process.pid, 'r2'))).toEqual({
    ok: false,
    holder: holder(process.pid, 'r1'),
  });
  if (first.ok) await first.release();
  const second = await acquireLock(file, holder(process.pid, 'r2'));
  expect(second.ok).toBe(true);
  // A release that comes twice, or late, takes nobody else's lock.
  if (first.ok) await first.release();
  expect((await acquireLock(file, holder(process.pid, 'r3'))).ok).toBe(false);
});

test('the lock of a killed process is taken over, and leaves nothing behind', async () => {
  const dir = makeTemporaryDirectory();
  const file = join(dir, 'run.lock');
  const child = await startProcess();
  expect((await acquireLock(file, holder(child.pid))).ok).toBe(true);
  expect((await acquireLock(file, holder(process.pid, 'r2'))).ok).toBe(false);
  await killAndReap(child);
  const taken = await acquireLock(file, holder(process.pid, 'r2'));
  expect(taken.ok).toBe(true);
  expect(readdirSync(dir)).toEqual(['run.lock']);
  if (taken.ok) await taken.release();
  expect(readdirSync(dir)).toEqual([]);
});

test('a number that now belongs to another process does not hold the lock', async () => {
  const file = join(makeTemporaryDirectory(), 'run.lock');
  await acquireLock(file, holder(process.pid));
  const saved = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...saved, born: '1' }));
  expect((await acquireLock(file, holder(process.pid, 'r2'))).ok).toBe(true);
});

test('of many at once exactly one wins, free or stale, also after one died in the middle of taking over', async () => {
  for (const start of ['free', 'stale', 'half taken over']) {
    const dir = makeTemporaryDirectory();
    const file = join(dir, 'run.lock');
    if (start !== 'free') {
      const dead = { ...holder(process.pid, 'dead'), born: '1' };
      writeFileSync(file, JSON.stringify({ ...dead, token: 'first' }));
      if (start !== 'stale') writeFileSync(`${file}.first`, JSON.stringify({ ...dead, token: 'second' }));
    }
    const tries = await Promise.all(
      Array.from({ length: 20 }, (_, n) => acquireLock(file, holder(process.pid, `r${n}`))),
    );
    const won = tries.flatMap((lock, n) => (lock.ok ? [`r${n}`] : []));
    expect(won).toHaveLength(1);
    expect(JSON.parse(readFileSync(file, 'utf8')).run).toBe(won[0]);
    for (const lock of tries) if (!lock.ok) expect(lock.holder.run).toBe(won[0]);
  }
});

test('a file that is no lock is named, not overwritten', async () => {
  const file = join(makeTemporaryDirectory(), 'run.lock');
  writeFileSync(file, 'notes');
  await expect(acquireLock(file, holder(process.pid))).rejects.toThrow(`${file} is not a lock`);
  expect(readFileSync(file, 'utf8')).toBe('notes');
});
