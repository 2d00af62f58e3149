import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCgroup } from '../../../src/runner/process/cgroup.ts';
import { fixturePath, growthOf, makeFolder, sizeOf, startFixture, waitFor } from '../supervised-fixture.ts';

describe('cgroup', () => {
  it('makes an empty group, or says that it cannot', () => {
    const cgroup = createCgroup(`autobuild-test-${randomUUID()}`);
    if (!cgroup) {
      expect(cgroup).toBeUndefined();
      return;
    }
    expect(cgroup.pids()).toEqual([]);
    expect([cgroup.freeze(), cgroup.thaw()]).toEqual([true, true]);
    expect(cgroup.remove()).toBe(true);
    expect(existsSync(dirname(cgroup.procsFile))).toBe(false);
    expect([cgroup.pids(), cgroup.freeze(), cgroup.kill()]).toEqual([[], false, false]);
  });

  it('makes none for a name that leads elsewhere', () => {
    for (const name of ['', '..', 'a/b', '../x']) expect(createCgroup(name)).toBeUndefined();
  });

  it('P-2: holds a daemon that cleared its environment and left the session, where groups can be made', async () => {
    const probe = createCgroup(`autobuild-test-${randomUUID()}`);
    probe?.remove();
    const ticks = join(makeFolder(), 'ticks');
    const { agent } = startFixture([fixturePath('escape-environment.sh'), ticks]);
    await waitFor('the daemon to tick', () => sizeOf(ticks) > 0);
    const frozen = await agent.freeze();
    expect(frozen.running).toBe(0);
    // Without a group such a daemon cannot be told from anyone's; its root is still held.
    expect(frozen.processes).toBeGreaterThanOrEqual(probe ? 2 : 1);
    const growth = await growthOf(ticks);
    if (probe) expect(growth).toBe(0);
    else expect(growth).toBeGreaterThan(0);
    await agent.thaw();
    const before = sizeOf(ticks);
    await waitFor('the daemon to go on', () => sizeOf(ticks) > before);
    const killed = await agent.kill({ graceMs: 1000 });
    expect(killed.processes).toBeGreaterThanOrEqual(probe ? 2 : 1);
    if (probe) expect(await growthOf(ticks)).toBe(0);
  });
});
