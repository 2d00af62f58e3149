import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Box } from '../../src/runner/box/box.ts';
import { runCheckCommand } from '../../src/runner/checks/run-check-command.ts';
import { writeInside } from '../../src/runner/disk/write-inside.ts';
import { fixturePath, growthOf, sizeOf, startFixture, waitFor } from '../runner/supervised-fixture.ts';
import { attackAsUser } from './as-user.ts';
import { DAEMON, makePlanIn, openLevel } from './boxes.ts';

function makePlan() {
  // Not in /tmp, which is private to a box.
  const top = mkdtempSync('/var/tmp/autobuild-box-');
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  // As the places of a job are: another user can pass through.
  chmodSync(top, 0o755);
  return makePlanIn(top);
}

const options = (worktree: string) => ({ cwd: worktree, useCgroup: false });

describe.each([1, 2, 3, 4])('at level %i', (level) => {
  test('P-2: a daemon with an emptied environment stands still with the agent, and ends with it', async () => {
    const plan = makePlan();
    const box = openLevel(level, plan);
    if (!box) return;
    const ticks = join(plan.worktree, 'ticks');
    const { agent } = startFixture(['/bin/sh', '-c', `${DAEMON}; sleep 1000`], {
      ...options(plan.worktree),
      enter: box.enter,
    });
    await waitFor('the daemon writes', () => sizeOf(ticks) > 0);
    const { running } = await agent.freeze();
    expect(running).toBe(0);
    expect(await growthOf(ticks)).toBe(0);
    await agent.thaw();
    const thawed = sizeOf(ticks);
    await waitFor('the daemon writes again', () => sizeOf(ticks) > thawed);
    await agent.kill({ graceMs: 0 });
    await agent.exited;
    expect(await growthOf(ticks)).toBe(0);
  });

  test('P-2: a daemon that outlives its agent ends before the work is looked at', async () => {
    const plan = makePlan();
    const box = openLevel(level, plan);
    if (!box) return;
    const ticks = join(plan.worktree, 'ticks');
    const { agent } = startFixture(['/bin/sh', '-c', `${DAEMON}; until [ -s ticks ]; do sleep 0.02; done`], {
      ...options(plan.worktree),
      enter: box.enter,
    });
    expect(await agent.exited).toMatchObject({ code: 0 });
    expect(await growthOf(ticks)).toBe(0);
  });

  test('P-2: the same daemon started by a check ends with the check', async () => {
    const plan = makePlan();
    const box = openLevel(level, plan);
    if (!box) return;
    const end = await runCheckCommand({
      command: `${DAEMON}; until [ -s ticks ]; do sleep 0.02; done`,
      cwd: plan.worktree,
      env: { PATH: '/usr/bin:/bin' },
      timeoutMs: 60_000,
      enter: box.enter,
    });
    expect(end).toMatchObject({ exitCode: 0 });
    expect(await growthOf(join(plan.worktree, 'ticks'))).toBe(0);
  });

  test('E-13: input, output, exit code and signal pass unchanged', async () => {
    const plan = makePlan();
    const box = openLevel(level, plan);
    if (!box) return;
    const { agent, lines, stderr } = startFixture(['/bin/sh', '-c', 'cat; echo oops >&2; exit 7'], {
      ...options(plan.worktree),
      stdin: 'one\ntwo\n',
      enter: box.enter,
    });
    expect(await agent.exited).toMatchObject({ code: 7, signal: null });
    expect(lines).toEqual(['one', 'two']);
    expect(stderr.join('')).toBe('oops\n');
    const killed = startFixture(['/bin/sh', '-c', 'kill -SEGV $$'], {
      ...options(plan.worktree),
      enter: box.enter,
    });
    expect(await killed.agent.exited).toMatchObject({ code: null, signal: 'SIGSEGV' });
    expect(killed.stderr.join('')).toBe('');
  });
});

test.each([
  { level: 0, frozen: true },
  { level: 1, frozen: true },
  { level: 2, frozen: true },
  { level: 2, frozen: false },
  { level: 4, frozen: true },
  { level: 4, frozen: false },
])(
  'G-11: a program saves its work at the end also behind a launcher that ends at once: $level, $frozen',
  async ({ level, frozen }) => {
    const plan = makePlan();
    const box = openLevel(level, plan);
    if (!box) return;
    const work = join(plan.worktree, 'work');
    // A copy, because the repository may be below /tmp, which the box hides.
    const launcher = join(plan.worktree, 'launcher.sh');
    copyFileSync(fixturePath('launcher.sh'), launcher);
    const { agent, lines } = startFixture([launcher, work], {
      ...options(plan.worktree),
      enter: box.enter,
    });
    await waitFor('the program', () => lines.includes('ready'));
    if (frozen) await agent.freeze();
    expect(await agent.kill({ graceMs: 30_000 })).toMatchObject({ survivors: 0 });
    await agent.exited;
    expect(readFileSync(work, 'utf8')).toBe('saved\n');
  },
);

test.each([2, 4])(
  'S-4: a file that a variable names is shown also below /tmp, and nothing beside it: level %i',
  async (level) => {
    const plan = makePlan();
    const named = mkdtempSync('/tmp/autobuild-named-');
    onTestFinished(() => rmSync(named, { recursive: true, force: true }));
    writeFileSync(join(named, 'settings.json'), 'shown');
    writeFileSync(join(named, 'other.json'), 'canary');
    const hidden = join(named, 'hidden.pem');
    writeFileSync(hidden, 'canary');
    const box = openLevel(level, { ...plan, hidden: [...plan.hidden, hidden] });
    if (!box) return;
    const { output } = await runCheckCommand({
      command: `cat "$OPENCODE_CONFIG"; echo x > "$OPENCODE_CONFIG"; ls ${named}; cat ${named}/* "$SSL_CERT_FILE"`,
      cwd: plan.worktree,
      env: { PATH: '/usr/bin:/bin', OPENCODE_CONFIG: join(named, 'settings.json'), SSL_CERT_FILE: hidden },
      timeoutMs: 60_000,
      enter: box.enter,
    });
    expect(output).toContain('shown');
    expect(output).not.toMatch(/canary|other/);
    expect(readFileSync(join(named, 'settings.json'), 'utf8')).toBe('shown');
  },
);

describe.each([2, 3, 4])('at level %i the box hides', (level) => {
  test('S-4: the runner: its memory, processes, files and logins', async () => {
    const plan = makePlan();
    writeFileSync(join(plan.runner, 'event.json'), '{"ticket":"canary"}');
    writeFileSync(join(plan.home, '.ssh', 'id'), 'canary');
    const box = openLevel(level, plan);
    if (!box) return;
    const steps = [
      `cat ${plan.runner}/* ${plan.home}/.ssh/*`,
      'cat /proc/*/environ | tr "\\0" "\\n"',
      `ls /proc/${process.pid} && cat /proc/${process.pid}/mem`,
      `kill -9 ${process.pid}`,
      'sudo -n cat /etc/shadow',
      `umount ${plan.runner}; unshare -Urm umount ${plan.runner}; cat ${plan.runner}/*`,
      `nsenter -t 1 -m cat ${plan.runner}/event.json`,
      `mount -o remount,rw /; touch /usr/canary && rm /usr/canary && echo canary`,
    ];
    process.env.CANARY_OF_THE_RUNNER = 'canary';
    const said = await Promise.all(
      steps.map(async (command) => {
        const env = { PATH: '/usr/bin:/bin', HOME: plan.home };
        const { output } = await runCheckCommand({
          command,
          cwd: plan.worktree,
          env,
          timeoutMs: 60_000,
          enter: box.enter,
        });
        return output;
      }),
    );
    delete process.env.CANARY_OF_THE_RUNNER;
    for (const output of said) expect(output).not.toContain('canary\n');
    for (const output of said) expect(output).not.toContain('"canary"');
  });
});

describe.each([2, 4])('at level %i the box protects', (level) => {
  test('S-4: the kernel from the id of root: what it starts for a crash, control groups, disks, a /proc of its own', async () => {
    const plan = makePlan();
    const box = openLevel(level, plan);
    if (!box) return;
    const { output } = await runCheckCommand({
      command: `tries() { (eval "$1") 2>/dev/null && echo "gained: $1"; }
core=$(cat /proc/sys/kernel/core_pattern)
tries 'echo "$core" > /proc/sys/kernel/core_pattern'
tries 'unshare -Urpf --mount-proc sh -c "echo core > /proc/sys/kernel/core_pattern"'
tries 'unshare -Urm sh -c "mount -t proc proc /mnt && echo core > /mnt/sys/kernel/core_pattern"'
tries 'test -w /proc/sysrq-trigger'
for mount in $(awk '$3 ~ /^cgroup/ {print $2}' /proc/self/mounts); do
  tries "mkdir $mount/autobuild-canary && rmdir $mount/autobuild-canary"
  tries "echo 0 > $mount/cgroup.procs"
done
for disk in $(find /dev -type b) /dev/kmsg /dev/mem; do tries "test -e $disk && : >> $disk"; done
for path in $(find /run -type s 2>/dev/null); do echo "gained: $path"; done
echo x > /dev/null && touch /dev/shm/x && head -c 1 /dev/urandom | wc -c`,
      cwd: plan.worktree,
      env: { PATH: '/usr/bin:/bin', HOME: plan.home },
      timeoutMs: 60_000,
      enter: box.enter,
    });
    expect(output).toBe('1\n');
  });

  test('S-10: what it may not write: command files, tools, the system; what it may: worktree, home, /tmp', async () => {
    const plan = makePlan();
    writeFileSync(join(plan.runner, 'env'), 'A=1\n');
    const box = openLevel(level, plan);
    if (!box) return;
    const { output } = await runCheckCommand({
      command: `for file in ${plan.runner}/env /usr/local/bin/git-canary ${plan.top}/x; do echo x 2>/dev/null >> $file; done
touch in-worktree ~/in-home /tmp/in-tmp /dev/shm/in-shm && echo all written; ls ~ | tr '\\n' ' '`,
      cwd: plan.worktree,
      env: { PATH: '/usr/bin:/bin', HOME: plan.home },
      timeoutMs: 60_000,
      enter: box.enter,
    });
    expect(output).toContain('all written\nin-home work');
    expect(readFileSync(join(plan.runner, 'env'), 'utf8')).toBe('A=1\n');
    for (const path of [
      '/usr/local/bin/git-canary',
      join(plan.top, 'x'),
      join(plan.home, 'in-home'),
      '/tmp/in-tmp',
    ])
      expect(sizeOf(path), path).toBe(0);
    expect(sizeOf(join(plan.worktree, 'in-worktree'))).toBe(0);
  });
});

test.each([2, 4])(
  'S-10: a directory of the PATH above worktree, home and runner changes nothing for them: level %i',
  async (level) => {
    // Below /tmp, where directories of the PATH are shown by a mount of their own.
    const top = mkdtempSync('/tmp/autobuild-checkout-');
    onTestFinished(() => rmSync(top, { recursive: true, force: true }));
    chmodSync(top, 0o755);
    const plan = makePlanIn(top);
    writeFileSync(join(plan.runner, 'env'), 'canary');
    writeFileSync(join(plan.home, '.ssh', 'id'), 'canary');
    writeFileSync(join(top, 'tool'), '#!/bin/sh\necho tool runs\n', { mode: 0o755 });
    const box = openLevel(level, plan);
    if (!box) return;
    const { output } = await runCheckCommand({
      command: `tool; touch in-worktree ~/in-home && echo all written
for file in ${plan.top}/x ${plan.top}/tool ${plan.runner}/env; do (echo x >> $file) 2>/dev/null && echo "changed $file"; done
cat ${plan.runner}/env ~/.ssh/id 2>/dev/null; echo end`,
      cwd: plan.worktree,
      env: { PATH: `${top}:/usr/bin:/bin`, HOME: plan.home },
      timeoutMs: 60_000,
      enter: box.enter,
    });
    expect(output).toBe('tool runs\nall written\nend\n');
    expect(sizeOf(join(plan.worktree, 'in-worktree'))).toBe(0);
    expect(existsSync(join(plan.home, 'in-home'))).toBe(false);
  },
);

describe('at level 3', () => {
  const run = (box: Pick<Box, 'enter'>, plan: ReturnType<typeof makePlan>, command: string) =>
    runCheckCommand({
      command,
      cwd: plan.worktree,
      env: { PATH: '/usr/bin:/bin', HOME: plan.home },
      timeoutMs: 60_000,
      enter: box.enter,
    });

  test('S-10: the agent is a user of its own, who can write worktree and a home of its own, and no file of the runner', async () => {
    const plan = makePlan();
    writeFileSync(join(plan.runner, 'env'), 'A=1\n');
    mkdirSync(join(plan.runner, 'deep'));
    writeFileSync(join(plan.runner, 'deep', 'event.json'), 'canary');
    writeFileSync(join(plan.worktree, 'mine.txt'), 'before');
    const box = openLevel(3, plan);
    if (!box) return;
    const { output } = await run(
      box,
      plan,
      `for file in ${plan.runner}/env /usr/local/bin/git-canary ${plan.top}/x ~root/x; do echo x 2>/dev/null >> $file; done
cat ${plan.runner}/env ${plan.runner}/deep/event.json 2>/dev/null; ls ${plan.runner} 2>/dev/null
touch in-worktree ~/in-home && echo after > mine.txt && mkdir sub && ln -s /etc/shadow link && echo all written
id -u; id -G; grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status`,
    );
    const [written, uid, groups, ...rights] = output.trim().split('\n');
    expect(written).toBe('all written');
    expect(Number(uid)).toBeGreaterThan(60_000);
    expect(groups).toBe(uid);
    expect(rights.map((line) => line.split(':\t')[1])).toEqual(['0000000000000000', '0000000000000000', '1']);
    expect(readFileSync(join(plan.runner, 'env'), 'utf8')).toBe('A=1\n');
    // Git, which Autobuild and later steps run as root, looks at the owner of these two only.
    expect(lstatSync(plan.worktree).uid).toBe(0);
    // What Autobuild writes meanwhile belongs to whom the directory belongs to.
    await writeInside(plan.worktree, 'sub/inputs.json', { bytes: Buffer.from('{}'), mode: 0o600 });
    expect(lstatSync(join(plan.worktree, 'sub/inputs.json')).uid).toBe(Number(uid));
    await writeInside(plan.worktree, 'restored.txt', { bytes: Buffer.from('x'), mode: 0o644 });
    expect(
      (await run(box, plan, 'echo more >> restored.txt && cat sub/inputs.json restored.txt')).output,
    ).toBe('{}xmore\n');
  });

  test('S-12: a file that has a second name elsewhere is not given to the agent, nor what a link leads to', async () => {
    const plan = makePlan();
    const box = openLevel(3, plan);
    if (!box) return;
    const secret = join(plan.runner, 'secret');
    writeFileSync(secret, 'canary', { mode: 0o600 });
    linkSync(secret, join(plan.worktree, 'hard'));
    symlinkSync(secret, join(plan.worktree, 'soft'));
    const { output } = await run(box, plan, 'cat hard soft; echo done');
    expect(output).toContain('done');
    expect(output).not.toContain('canary');
    expect(lstatSync(secret).uid).toBe(0);
  });
});

describe.each([2, 4])('at level %i as a user that is not root', (level) => {
  test('S-4: a daemon does not escape, and neither runner nor root are in reach', () => {
    const gains = attackAsUser(level);
    if (typeof gains === 'string') {
      process.stderr.write(`NOT RUN at isolation level ${level} as a user: ${gains}\n`);
      return;
    }
    expect(gains).toMatchObject({ level, started: true, running: 0, whileFrozen: 0, afterEnd: 0 });
    expect(gains.uid).not.toBe(0);
    expect(gains.output).not.toMatch(/canary\n?$|CANARY=|signalled|^root$/m);
    expect(gains.output.trim().split('\n').slice(-3)).toEqual([
      "touch: cannot touch '/usr/canary': Read-only file system",
      `${gains.uid}`,
      `${gains.uid}`,
    ]);
  });
});
