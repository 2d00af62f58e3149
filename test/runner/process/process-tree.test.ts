import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isHeld, type ProcessEntry, readProcessTable } from '../../../src/runner/process/process-table.ts';
import { createProcessTree } from '../../../src/runner/process/process-tree.ts';
import {
  fixturePath,
  growthOf,
  makeFolder,
  NO_PID,
  sizeOf,
  startFixture,
  stateOf,
  waitFor,
} from '../supervised-fixture.ts';

const words = (file: string) => new Set(readFileSync(file, 'utf8').split('\n').filter(Boolean));

function readOne(pid = NO_PID): ProcessEntry {
  const entry = readProcessTable().get(pid);
  if (!entry) throw new Error(`no process ${pid}`);
  return entry;
}

async function growTree(useCgroup: boolean) {
  const ticks = join(makeFolder(), 'ticks');
  const fixture = startFixture([fixturePath('grow-tree.sh'), ticks], { useCgroup });
  await waitFor('every member of the tree to tick', () => sizeOf(ticks) > 0 && words(ticks).size === 10);
  const tree = createProcessTree({ rootPid: fixture.agent.pid ?? NO_PID, mark: fixture.mark });
  return { ...fixture, ticks, tree };
}

describe('process tree', () => {
  it.each([false, true])(
    'P-2: stops every descendant, also other groups and daemons, and lets them go on (cgroup: %s)',
    async (useCgroup) => {
      const { agent, ticks, tree } = await growTree(useCgroup);

      const { processes, running } = await agent.freeze();
      const members = tree.list();
      expect(processes).toBeGreaterThanOrEqual(10);
      expect(running).toBe(0);
      expect(members).toHaveLength(processes);
      // D: in the middle of a vfork whose child is stopped.
      for (const pid of members) expect(['T', 'D']).toContain(stateOf(pid));
      expect(await growthOf(ticks)).toBe(0);
      expect(agent.frozen).toBe(true);

      const before = sizeOf(ticks);
      await agent.thaw();
      expect(agent.frozen).toBe(false);
      await waitFor('the counter to go on', () => sizeOf(ticks) > before + 100);
      for (const pid of tree.list()) expect(stateOf(pid)).not.toBe('T');
    },
  );

  it('P-2: a second freeze stops the tree again', async () => {
    const { agent, ticks } = await growTree(true);
    await agent.freeze();
    await agent.thaw();
    await agent.freeze();
    await agent.freeze();
    expect(await growthOf(ticks)).toBe(0);
    await agent.thaw();
    const before = sizeOf(ticks);
    await waitFor('the counter to go on', () => sizeOf(ticks) > before);
  });

  it.each([false, true])('P-2: catches what is forked while it freezes (cgroup: %s)', async (useCgroup) => {
    const forks = join(makeFolder(), 'forks');
    const { agent, mark } = startFixture([fixturePath('fork-storm.sh'), forks], { useCgroup });
    await waitFor('the storm to begin', () => sizeOf(forks) > 0);
    const { running } = await agent.freeze();
    expect(running).toBe(0);
    const forked = words(forks).size;
    const members = createProcessTree({ rootPid: agent.pid ?? NO_PID, mark }).list();
    expect(members.length).toBeGreaterThan(forked);
    for (const pid of members) expect(['T', 'D']).toContain(stateOf(pid));
    expect(await growthOf(forks)).toBe(0);
    await agent.thaw();
    await waitFor('the storm to go on', () => words(forks).size > forked);
    writeFileSync(`${forks}.enough`, '');
    const killed = await agent.kill({ graceMs: 5000 });
    expect(killed.survivors).toBe(0);
    expect(killed.processes).toBeGreaterThan(forked + 1);
  });

  it('P-2: asks no process for its mark that is older than the agent', async () => {
    const mark = `test-${randomUUID()}`;
    const env = { PATH: process.env.PATH ?? '', AUTOBUILD_MARK: mark };
    const older = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env });
    onTestFinished(() => void older.kill('SIGKILL'));
    // Start times are told in hundredths of a second.
    await sleep(30);
    const root = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    onTestFinished(() => void root.kill('SIGKILL'));
    await sleep(30);
    const younger = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env });
    onTestFinished(() => void younger.kill('SIGKILL'));
    expect(createProcessTree({ rootPid: root.pid ?? NO_PID, mark }).list()).toEqual([root.pid, younger.pid]);
    expect(createProcessTree({ rootPid: NO_PID, mark }).list()).toEqual([older.pid, younger.pid]);
  });

  it('P-2: a parent that waits in vfork for its stopped child is held at once', async () => {
    const { agent, lines } = startFixture([fixturePath('hold-vfork.pl')]);
    await waitFor('the child of vfork', () => lines.includes('ready'));
    expect(isHeld(readOne(agent.pid))).toBe(false);
    await agent.freeze();
    const root = readOne(agent.pid);
    expect(root.state).toBe('D');
    expect(isHeld(root)).toBe(true);
  });

  it('P-2: finds a daemon without the mark that stayed in the session', async () => {
    const { agent, lines, mark } = startFixture([fixturePath('orphan-in-session.sh')], { useCgroup: false });
    await waitFor('the daemon', () => lines.includes('ready'));
    const tree = createProcessTree({ rootPid: agent.pid ?? NO_PID, mark });
    await waitFor('root and daemon', () => tree.list().length === 2);
  });

  it('P-2: leaves a process stopped that the agent itself had stopped', async () => {
    const { agent, mark } = startFixture(['sh', '-c', 'sleep 60 & kill -STOP $!; wait']);
    const tree = createProcessTree({ rootPid: agent.pid ?? NO_PID, mark });
    await waitFor('the child to be stopped', () => tree.list().some((pid) => stateOf(pid) === 'T'));
    const own = tree.list().find((pid) => stateOf(pid) === 'T');
    await agent.freeze();
    await agent.thaw();
    expect(
      tree
        .list()
        .map(stateOf)
        .filter((state) => state === 'T'),
    ).toHaveLength(1);
    expect(stateOf(own ?? 0)).toBe('T');
  });

  it('G-11: kills a tree that ignores SIGTERM, after the grace', async () => {
    const { agent, lines } = startFixture([fixturePath('ignore-terminate.sh')]);
    await waitFor('the fixture', () => lines.includes('ready'));
    const begin = performance.now();
    const { survivors } = await agent.kill({ graceMs: 200 });
    expect(survivors).toBe(0);
    // No less than the grace, which a busy machine can only make longer.
    expect(performance.now() - begin).toBeGreaterThanOrEqual(200);
    expect(await agent.exited).toMatchObject({ started: true, signal: 'SIGKILL' });
  });

  it('G-11: a frozen process gets to handle SIGTERM', async () => {
    const log = join(makeFolder(), 'log');
    const { agent, lines } = startFixture([fixturePath('trap-terminate.sh'), log]);
    await waitFor('the fixture', () => lines.includes('ready'));
    await agent.freeze();
    await agent.kill({ graceMs: 10_000 });
    expect(readFileSync(log, 'utf8')).toBe('handled\n');
    expect(await agent.exited).toMatchObject({ started: true, code: 0 });
    expect(agent.frozen).toBe(false);
  });

  it('finds nothing once the root is gone, and never takes us for a member', async () => {
    const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const tree = createProcessTree({ rootPid: child.pid ?? NO_PID, mark: 'none-of-this-mark' });
    expect(tree.list()).toEqual([child.pid]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(tree.list()).toEqual([]);
    expect(await tree.kill({ graceMs: 0 })).toEqual({ processes: 0, survivors: 0 });

    const own = createProcessTree({ rootPid: process.pid, mark: 'none-of-this-mark' });
    expect(own.list()).not.toContain(process.pid);
    expect(own.list()).not.toContain(process.ppid);
  });

  it('refuses a mark or a pid that could match anything', () => {
    expect(() => createProcessTree({ rootPid: NO_PID, mark: '' })).toThrow(/mark/);
    for (const rootPid of [0, 1, -1, Number.NaN])
      expect(() => createProcessTree({ rootPid, mark: 'a-mark' })).toThrow(/not the pid/);
    expect(createProcessTree({ rootPid: NO_PID, mark: 'a-mark' }).list()).toEqual([]);
  });
});
