import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { askingCommand, refusingCommand } from '../../src/agents/hook-command.ts';

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

test('where a bare yes is enough, everything else is a no with words', () => {
  const run = (hook: string[]) => spawnSync('sh', ['-c', refusingCommand(hook)], { encoding: 'utf8' });
  expect(run(['true'])).toMatchObject({ status: 0, stdout: '', stderr: '' });
  const words = 'The gate did not allow this edit.\n';
  for (const silent of [['false'], ['sh', '-c', 'exit 2'], []])
    expect(run(silent)).toMatchObject({ status: 2, stderr: words });
  for (const loud of [['/nowhere/hook'], ['sh', '-c', 'kill -9 $$']])
    expect(run(loud)).toMatchObject({ status: 2, stderr: expect.stringContaining(words) });
  expect(run(['sh', '-c', 'echo out of scope >&2; exit 2']).stderr).toBe(`out of scope\n${words}`);
});
