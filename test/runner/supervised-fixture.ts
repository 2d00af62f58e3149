import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { parseStat } from '../../src/runner/process/process-table.ts';
import { createProcessTree } from '../../src/runner/process/process-tree.ts';
import { type SuperviseOptions, superviseAgent } from '../../src/runner/process/supervise.ts';

export const fixturePath = (name: string) => join(import.meta.dirname, '../fixtures/processes', name);

/** Above the highest pid Linux gives. */
export const NO_PID = 2 ** 22 + 1;

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'autobuild-runner-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Polls until the check holds; the deadline is far beyond what a loaded machine needs. */
export async function waitFor(what: string, check: () => boolean, deadlineMs = 60_000): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!check()) {
    if (performance.now() > deadline) throw new Error(`waited ${deadlineMs} ms in vain for: ${what}`);
    await sleep(10);
  }
}

/** Runs a misbehaving child under supervision and sees to it that none of its processes outlives the test. */
export function startFixture(argv: string[], options: Partial<SuperviseOptions> = {}) {
  const mark = `test-${randomUUID()}`;
  const lines: string[] = [];
  const overlong: { chars: number; ended: number } = { chars: 0, ended: 0 };
  const stderr: string[] = [];
  const agent = superviseAgent({
    argv,
    cwd: import.meta.dirname,
    env: { PATH: process.env.PATH ?? '' },
    stdin: '',
    mark,
    onLine: (line) => lines.push(line),
    onOverlong: (text, final) => {
      overlong.chars += text.length;
      overlong.ended += final ? 1 : 0;
    },
    onStderr: (text) => stderr.push(text),
    ...options,
  });
  onTestFinished(async () => {
    await agent.kill({ graceMs: 0 });
    await agent.exited.catch(() => undefined);
    expect(createProcessTree({ rootPid: agent.pid ?? NO_PID, mark }).list(), 'leaked processes').toEqual([]);
  });
  return { agent, mark, lines, overlong, stderr };
}

export const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : 0);

export const stateOf = (pid: number) =>
  existsSync(`/proc/${pid}/stat`)
    ? parseStat(pid, readFileSync(`/proc/${pid}/stat`, 'latin1'))?.state
    : undefined;

/** How much a file grows in a while that is long compared with the fixtures' 50 ms step. */
export async function growthOf(file: string, ms = 300): Promise<number> {
  const before = sizeOf(file);
  await sleep(ms);
  return sizeOf(file) - before;
}
