import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../supervised-fixture.ts';

const MODULE = join(import.meta.dirname, '../../../src/runner/process/close-inherited.ts');

/** What a program reads from a file that bash left open, as for `<(…)`. Node itself closes those with low numbers only. */
function readLeft(before: string): string {
  const file = join(makeFolder(), 'secret');
  writeFileSync(file, 'canary');
  const code = `${before}
require('node:child_process').spawnSync('bash', ['-c', 'cat <&63; echo read'], { stdio: ['ignore', 'inherit', 'ignore'] });`;
  const shell = 'exec 63<"$1"; exec "$2" -e "$3"';
  return spawnSync('bash', ['-c', shell, 'bash', file, process.execPath, code], { encoding: 'utf8' }).stdout;
}

test('S-4: files that were open when Autobuild was started are not open for the agent', () => {
  expect(readLeft('')).toBe('canaryread\n');
  expect(readLeft(`require(${JSON.stringify(MODULE)}).closeInherited();`)).toBe('read\n');
});
