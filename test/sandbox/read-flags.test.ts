import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'autobuild-flags-test-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

function call(script: string, ...args: string[]) {
  const path = join(import.meta.dirname, '../../src/sandbox', script);
  const env = { PATH: process.env.PATH, TMPDIR: scratch };
  // A story that begins all the same is not waited for.
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], {
    cwd: scratch,
    env,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

describe.each([
  { script: 'demo.ts', usage: 'Usage: npm run demo' },
  { script: 'start.ts', usage: 'Usage: npm start' },
  { script: 'story.ts', usage: 'Usage: npm run story' },
])('C-1: $script', ({ script, usage }) => {
  test.each(['--jsn', 'extra', '--help=yes'])(
    '%s is not known: it says so, and starts nothing',
    (argument) => {
      const { status, stdout, stderr } = call(script, argument);
      expect(status).toBe(64);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^✗ .*\n/);
      expect(stderr).toContain(argument.split('=')[0]);
      expect(stderr).toContain(usage);
      expect(readdirSync(scratch)).toEqual([]);
    },
  );

  test.each(['--help', '-h'])('%s says how it is used, and starts nothing', (argument) => {
    const { status, stdout, stderr } = call(script, argument);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(usage);
    expect(stdout.split('\n').length).toBeLessThan(12);
    expect(readdirSync(scratch)).toEqual([]);
  });
});
