import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findVersion } from '../../../src/cli/doctor/cli-version.ts';
import { makeTemporaryDirectory } from '../../runner/temporary-worktree.ts';

test('a program that gives no answer in time is slow, not broken', async () => {
  const cwd = makeTemporaryDirectory();
  const program = join(cwd, 'slow');
  writeFileSync(program, '#!/bin/sh\nexec sleep 600\n');
  chmodSync(program, 0o755);
  const found = await findVersion(program, { cwd, env: { PATH: process.env.PATH }, answerMs: 50 });
  expect(found).toEqual({ is: 'slow', problem: `${program} --version gave no answer in 0.05 s` });
});
