import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { askingCommand } from '../../src/agents/hook-command.ts';

function ask(hook: string[]) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', askingCommand(hook)], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

const UNHEARD = { status: 2, stdout: '', stderr: expect.stringContaining('the gate could not be asked\n') };

test('what a hook says and how it ends is passed on', () => {
  expect(ask(['echo', `it's "fine"`])).toEqual({ status: 0, stdout: `it's "fine"\n`, stderr: '' });
  expect(ask(['sh', '-c', 'echo no; exit 2'])).toEqual({ status: 2, stdout: 'no\n', stderr: '' });
});

test.each([
  [[]],
  [['/nowhere/hook']],
  [['true']],
  [['sh', '-c', 'echo yes; exit 1']],
  [['sh', '-c', 'echo yes; kill -9 $$']],
])('%j is a refusal', (hook) => {
  expect(ask(hook)).toEqual(UNHEARD);
});
