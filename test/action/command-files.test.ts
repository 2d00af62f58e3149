import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { watchCommandFiles } from '../../src/action/command-files.ts';
import { makeFolder } from '../runner/supervised-fixture.ts';

test('S-10: command files that an agent wrote are as they were before the job ends, and named', () => {
  const folder = makeFolder();
  const at = (name: string) => join(folder, name);
  writeFileSync(at('env'), 'A=1\n');
  writeFileSync(at('path'), '');
  writeFileSync(at('output'), 'kept=1\n');
  writeFileSync(at('bystander'), 'mine\n');
  const files = watchCommandFiles({
    GITHUB_ENV: at('env'),
    GITHUB_PATH: at('path'),
    GITHUB_OUTPUT: at('output'),
    GITHUB_STATE: at('state'),
  });
  writeFileSync(at('env'), 'A=1\nNODE_OPTIONS=--require ./evil.js\n');
  rmSync(at('path'));
  symlinkSync(at('bystander'), at('path'));
  writeFileSync(at('state'), 'nonce=stolen\n');
  expect(files.revert()).toEqual(['GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STATE']);
  expect(readFileSync(at('env'), 'utf8')).toBe('A=1\n');
  expect(readFileSync(at('path'), 'utf8')).toBe('');
  expect(readFileSync(at('bystander'), 'utf8')).toBe('mine\n');
  expect(existsSync(at('state'))).toBe(false);
  // The job's own result, written after that, stays.
  writeFileSync(at('output'), 'kept=1\nstatus=done\n');
  expect(files.revert()).toEqual([]);
  expect(readFileSync(at('output'), 'utf8')).toContain('status=done');
});

test('S-10: a pipe, a link to the same text and a second name are no file as before', () => {
  const folder = makeFolder();
  const at = (name: string) => join(folder, name);
  for (const name of ['env', 'path', 'output']) writeFileSync(at(name), 'A=1\n');
  const files = watchCommandFiles({
    GITHUB_ENV: at('env'),
    GITHUB_PATH: at('path'),
    GITHUB_OUTPUT: at('output'),
  });
  rmSync(at('env'));
  // Whoever reads it waits for ever.
  execFileSync('mkfifo', [at('env')]);
  writeFileSync(at('twin'), 'A=1\n');
  rmSync(at('path'));
  symlinkSync(at('twin'), at('path'));
  rmSync(at('output'));
  linkSync(at('twin'), at('output'));
  expect(files.revert()).toEqual(['GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_OUTPUT']);
  writeFileSync(at('twin'), 'NODE_OPTIONS=--require ./evil.js\n');
  for (const name of ['env', 'path', 'output']) {
    expect(lstatSync(at(name)).isFile()).toBe(true);
    expect(readFileSync(at(name), 'utf8')).toBe('A=1\n');
  }
});
