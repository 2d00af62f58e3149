import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { askingCommand, refusingCommand, refusingIfMentioned } from '../../src/agents/hook-command.ts';

function ask(hook: string[]) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', askingCommand(hook)], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

const UNHEARD = { status: 2, stdout: '', stderr: expect.stringContaining('the gate could not be asked\n') };

const said = (text: string, code: number) => ['sh', '-c', `echo '${text}'; exit ${code}`];

test.each([
  ['{"decision":"allow"}', 0],
  ['{"decision":"deny","reason":"it is \\"far\\" out"}', 2],
  ['{"permissionDecision":"deny","permissionDecisionReason":"no"}', 0],
])('the decision %s is passed on, with how the hook ended', (decision, code) => {
  expect(ask(['printf', '%s', decision]).stdout).toBe(`${decision}\n`);
  expect(ask(said(decision.replaceAll('\\', ''), code)).status).toBe(code);
});

test.each([
  [[]],
  [['/nowhere/hook']],
  [['true']],
  [said('{"decision":"allow"}', 1)],
  [['sh', '-c', `echo '{"decision":"allow"}'; kill -9 $$`]],
  [said('yes', 0)],
  [said('{}', 0)],
  [said('a warning\n{"decision":"allow"}', 0)],
  [said('{"decision":"allow"', 0)],
])('E-5: %j is a refusal', (hook) => {
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

test('E-6: a command that mentions no patch starts no hook; everything else is asked about, whole', () => {
  const run = (input: string, hook: string[]) =>
    spawnSync('sh', ['-c', refusingIfMentioned(['apply_patch', 'applypatch'], hook)], {
      input,
      encoding: 'utf8',
    });
  // No program is on this PATH, so that only the shell itself can answer.
  const unaided = spawnSync(
    '/bin/sh',
    ['-c', refusingIfMentioned(['apply_patch', 'applypatch'], ['/nowhere/hook'])],
    { input: '{"tool_input":{"command":"npm test"}}', env: { PATH: '' } },
  );
  expect(unaided.status).toBe(0);
  const listening = ['sh', '-c', 'cat >&2; exit 2'];
  const patch = '{"tool_input":{"command":"apply_patch <<EOF\\n"}}';
  for (const asked of [patch, '{"command":"cd a && applypatch"}', '', 'no json', '{\n"command": "a"\n}']) {
    const { status, stderr } = run(asked, listening);
    expect(status).toBe(2);
    expect(stderr.replaceAll('\n', '')).toBe(
      `${asked.replaceAll('\n', '')}The gate did not allow this edit.`,
    );
    expect(run(asked, ['true']).status).toBe(0);
  }
});
