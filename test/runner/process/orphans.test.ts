import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { endOrphans, markChecks, recordAgent } from '../../../src/runner/process/orphans.ts';
import { MARK_VARIABLE } from '../../../src/runner/process/process-tree.ts';
import { makeFolder, stateOf, waitFor } from '../supervised-fixture.ts';

function start(env: Record<string, string>): ChildProcess & { pid: number } {
  const child = spawn('sleep', ['1000'], { env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child as ChildProcess & { pid: number };
}

const isGone = (pid: number) => [undefined, 'Z', 'X'].includes(stateOf(pid));

test('R-3: the recorded agent, frozen or not, and the checks of the run are ended; nobody else is', async () => {
  const runDir = makeFolder();
  const gateDir = join(makeFolder(), 'autobuild-gate');
  mkdirSync(gateDir);
  recordAgent(runDir, { mark: 'mark-1', gate_dir: gateDir });
  const frozen = start({ [MARK_VARIABLE]: 'mark-1' });
  const check = start(markChecks({}, 'run1'));
  const others = [start({ [MARK_VARIABLE]: 'mark-12' }), start(markChecks({}, 'run12')), start({})];
  process.kill(frozen.pid, 'SIGSTOP');
  await waitFor('it is frozen', () => stateOf(frozen.pid) === 'T');

  expect(await endOrphans(runDir, 'run1')).toBe(2);
  await waitFor('both are gone', () => isGone(frozen.pid) && isGone(check.pid));
  expect(others.filter(({ pid }) => isGone(pid))).toEqual([]);
  expect(existsSync(gateDir)).toBe(false);
  expect(await endOrphans(runDir, 'run1')).toBe(0);
});

test('R-3: a record cut off by a crash stops nothing', async () => {
  const runDir = makeFolder();
  writeFileSync(join(runDir, 'agent.json'), '{"mark":"ma');
  expect(await endOrphans(runDir, 'run1')).toBe(0);
  expect(existsSync(join(runDir, 'agent.json'))).toBe(false);
});

test('R-3: a directory that is no gate of ours is not removed', async () => {
  const runDir = makeFolder();
  const directory = join(makeFolder(), 'home');
  mkdirSync(directory);
  recordAgent(runDir, { mark: 'mark-2', gate_dir: directory });
  await endOrphans(runDir, 'run1');
  expect(existsSync(directory)).toBe(true);
});
