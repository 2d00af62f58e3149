import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { score, Verification } from '../../../src/core/contracts/verification.ts';
import { runVerification, type VerificationOptions } from '../../../src/runner/checks/verify.ts';

const samples = new URL('../../fixtures/test-output/', import.meta.url).pathname;
const START = Date.UTC(2026, 0, 2, 3, 4, 5);
let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'autobuild-verify-'));
});
afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

function verify(commands: string[], more: Partial<VerificationOptions> = {}): Promise<Verification> {
  let ticks = 0;
  const now = () => new Date(START + 1_000 * ticks++);
  return runVerification({ commands, cwd, env: { PATH: '/usr/bin:/bin' }, timeoutMs: 20_000, now, ...more });
}

async function readPid(file: string): Promise<number> {
  const path = join(cwd, file);
  for (let tries = 0; tries < 6_000; tries += 1) {
    const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
    if (text !== '') return Number(text);
    await delay(10);
  }
  throw new Error(`${file} was not written`);
}

/** Gone, or a zombie that its new parent has yet to reap. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return false;
    throw error;
  }
}

async function untilStopped(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 6_000 && isRunning(pid); tries += 1) await delay(10);
  return !isRunning(pid);
}

describe('runVerification', () => {
  test('every command runs, also after a failure, in order and in the given directory', async () => {
    const progress: string[] = [];
    const result = await verify(['pwd', 'echo broken >&2; exit 3', 'true'], {
      onProgress: (command, phase) => progress.push(`${phase} ${command}`),
    });
    expect(Verification.parse(result)).toEqual(result);
    expect(result.ok).toBe(false);
    expect(result.at).toBe('2026-01-02T03:04:05.000Z');
    expect(result.checks.map(({ ok, exit_code, duration_ms }) => [ok, exit_code, duration_ms])).toEqual([
      [true, 0, 1_000],
      [false, 3, 1_000],
      [true, 0, 1_000],
    ]);
    expect(result.checks[0]?.output_tail.trim()).toBe(cwd);
    expect(result.checks[0]?.errors).toEqual([]);
    expect(result.checks[1]?.errors).toEqual([{ message: 'broken', signature: 'broken' }]);
    expect(progress.slice(0, 3)).toEqual(['started pwd', 'finished pwd', 'started echo broken >&2; exit 3']);
    expect(progress).toHaveLength(6);
  });

  test('all pass: ok; nothing to run verifies nothing', async () => {
    expect((await verify(['true', 'echo "0 errors"'])).ok).toBe(true);
    expect(await verify([])).toEqual({ at: '2026-01-02T03:04:05.000Z', ok: false, checks: [] });
  });

  test('the word "error" in the output of a command that succeeds is not an error', async () => {
    const { ok, checks } = await verify(['echo "Error: all good"; echo "cat: /etc/x: Permission denied"']);
    expect(ok).toBe(true);
    expect(checks[0]?.errors).toEqual([]);
    expect(checks[0]?.blocker).toBeUndefined();
  });

  test('E-4: counts are read from what the tools print and added up', async () => {
    const result = await verify([
      `cat ${samples}vitest-failing.txt; exit 1`,
      `cat ${samples}pytest-quiet.txt; exit 1`,
      'true',
    ]);
    expect(result.checks.map((check) => check.tests?.failed)).toEqual([2, 3, undefined]);
    expect(result.tests).toMatchObject({ passed: 3, failed: 5, skipped: 4 });
    expect(score(result)).toEqual({ unit: 'tests', passed: 3, total: 8 });
  });

  test('E-4: without test counts the checks themselves are the score', async () => {
    const result = await verify(['true', 'false', 'true']);
    expect(result.tests).toBeUndefined();
    expect(score(result)).toEqual({ unit: 'checks', passed: 2, total: 3 });
  });

  test('E-1: errors carry the message, the file relative to the tree, and the line', async () => {
    const { checks } = await verify([`echo "${cwd}/src/a.ts(41,7): error TS2345: no"; exit 2`]);
    expect(checks[0]?.errors).toEqual([
      { message: 'TS2345: no', signature: 'TS2345: no', file: 'src/a.ts', line: 41 },
    ]);
  });

  test('E-7: a program that is not there is a result with exit code 127 and a blocker', async () => {
    const { checks } = await verify(['no-such-program-here --version']);
    expect(checks[0]).toMatchObject({
      ok: false,
      exit_code: 127,
      blocker: { kind: 'missing_dependency', name: 'no-such-program-here' },
    });
  });

  test('a silent failure, a signal and a missing directory are results too', async () => {
    const { checks } = await verify(['exit 7', 'kill -9 $$']);
    expect(checks[0]?.errors[0]?.message).toBe('`exit 7` exited with 7 and printed nothing');
    expect(checks[1]).toMatchObject({ ok: false, exit_code: null, timed_out: false });
    const gone = await verify(['true'], { cwd: join(cwd, 'gone') });
    expect(gone.checks[0]).toMatchObject({ ok: false, exit_code: null });
    expect(gone.checks[0]?.errors[0]?.message).toContain('could not start');
  });

  test('keys and tokens do not reach the commands, stdin is closed', async () => {
    const { checks } = await verify(['env; cat; echo end of input'], {
      env: {
        PATH: '/usr/bin:/bin',
        ANTHROPIC_API_KEY: 's3cret',
        GITHUB_TOKEN: 's3cret',
        FORCE_COLOR: '1',
        KEPT: 'yes',
      },
    });
    const tail = checks[0]?.output_tail ?? '';
    expect(tail).not.toContain('s3cret');
    expect(tail).not.toContain('FORCE_COLOR');
    expect(tail.split('\n')).toEqual(
      expect.arrayContaining(['KEPT=yes', 'CI=true', 'NO_COLOR=1', 'end of input']),
    );
  });

  test('a huge output is bounded; beginning and end are read', async () => {
    const script =
      'echo "src/first.ts(1,1): error TS1: first"; head -c 5000000 /dev/zero | tr "\\0" "x"; echo; echo "src/last.ts(2,1): error TS2: last"; exit 1';
    const { checks } = await verify([script]);
    expect(checks[0]?.errors.map((error) => error.message)).toEqual(['TS1: first', 'TS2: last']);
    expect(checks[0]?.output_tail.length).toBeLessThanOrEqual(8 * 1024);
  });

  test('a time-out stops the whole group, also what ignores SIGTERM, and the next command still runs', async () => {
    const stubborn = `(trap '' TERM; sh -c 'echo $PPID > pid'; while :; do sleep 0.1; done) & wait`;
    const result = await verify([stubborn, 'echo next'], { timeoutMs: 700 });
    expect(result.checks[0]).toMatchObject({ ok: false, timed_out: true });
    expect(result.checks[0]?.errors[0]?.signature).toContain('did not finish within <t>');
    expect(result.checks[1]?.ok).toBe(true);
    expect(await untilStopped(await readPid('pid'))).toBe(true);
  });

  test('an abort stops the command and the rest, and nothing is verified', async () => {
    const controller = new AbortController();
    const running = verify(['echo $$ > pid; sleep 600', 'touch ran'], { signal: controller.signal });
    const pid = await readPid('pid');
    controller.abort();
    const result = await running;
    expect(result.ok).toBe(false);
    expect(result.checks).toHaveLength(1);
    expect(result.checks[0]).toMatchObject({ ok: false, timed_out: false });
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
    expect(await untilStopped(pid)).toBe(true);
    expect((await verify(['true'], { signal: controller.signal })).ok).toBe(false);
  });

  test('what a command leaves in the background is stopped with it', async () => {
    const result = await verify(['sleep 600 & echo $! > pid; echo done']);
    expect(result.ok).toBe(true);
    expect(await untilStopped(await readPid('pid'))).toBe(true);
  });

  test('a daemon that holds the output open does not hold up the result', async () => {
    const { checks, ok } = await verify([
      "setsid sh -c 'echo $$ > pid; exec sleep 600' & until [ -s pid ]; do sleep 0.01; done; echo done",
    ]);
    const pid = await readPid('pid');
    try {
      expect(ok).toBe(true);
      expect(checks[0]?.output_tail).toBe('done\n');
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });
});

describe('a check that needs Docker', () => {
  const command =
    "echo 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?'; exit 1";
  const errorsOf = async (options: Partial<VerificationOptions>, run = command) =>
    (await verify([run], options)).checks[0]?.errors.map(({ message }) => message).join('\n') ?? '';

  test('S-4: in a box it names the setting, and what that means', async () => {
    expect(await errorsOf({ hidesServices: true })).toMatch(/check_isolation: host.*all rights of the job/);
    expect(await errorsOf({ hidesServices: true }, 'echo broken; exit 1')).not.toContain('check_isolation');
  });

  test('elsewhere Docker itself is the problem', async () => {
    expect(await errorsOf({})).toContain('Cannot connect to the Docker daemon');
    expect(await errorsOf({})).not.toContain('check_isolation');
  });
});

describe('JUnit reports', () => {
  const report = '<testsuite><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite>';

  test('E-4: a report the command writes is preferred to what it prints', async () => {
    writeFileSync(join(cwd, 'source.xml'), report);
    const command = `cat ${samples}vitest-failing.txt; mkdir -p out/deep; cp source.xml out/deep/junit.xml; exit 1`;
    const { tests } = await verify([command], { junit: ['out/**/*.xml'] });
    expect(tests).toEqual({ passed: 1, failed: 1, skipped: 0, failing: ['b'] });
  });

  test('E-4: a report from before does not count; one written again does', async () => {
    writeFileSync(join(cwd, 'junit.xml'), report);
    expect((await verify(['true'], { junit: ['junit.xml'] })).tests).toBeUndefined();
    const again = await verify(['cat junit.xml > j2 && cat j2 > junit.xml'], { junit: ['junit.xml'] });
    expect(again.tests).toMatchObject({ passed: 1, failed: 1 });
  });

  test('links out of the tree, pipes, mountains and node_modules are no reports', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'autobuild-outside-'));
    try {
      writeFileSync(join(outside, 'junit.xml'), report);
      writeFileSync(join(cwd, 'source.xml'), report);
      mkdirSync(join(cwd, 'prepared'));
      symlinkSync(join(outside, 'junit.xml'), join(cwd, 'prepared', 'link'));
      execFileSync('mkfifo', [join(cwd, 'prepared', 'pipe')]);
      const command = [
        'mkdir -p r node_modules/x',
        'mv prepared/link r/link.xml',
        'mv prepared/pipe r/pipe.xml',
        `ln -s ${outside} r/dir`,
        'cp source.xml node_modules/x/n.xml',
        '(cat source.xml; head -c 11000000 /dev/zero) > r/big.xml',
      ].join(' && ');
      const result = await verify([command], { junit: ['**/[!s]*.xml', 'r/dir/*.xml', '../*/junit.xml'] });
      expect(result.ok).toBe(true);
      expect(result.tests).toBeUndefined();
    } finally {
      rmSync(outside, { recursive: true, force: true });
    }
  });
});
