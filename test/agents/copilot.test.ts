import { describe, expect, test } from 'vitest';
import { copilot } from '../../src/agents/copilot.ts';
import { readLines, recordedLines } from './recorded-stream.ts';

const DEMO = '/home/runner/work/demo/demo';
const TURN = {
  prompt: 'Build it',
  instructions: 'Ask for help',
  cwd: '/w',
  files: { prompt: '/p', context: '/c', inputs: '/i', report: '/r', gate: '/g' },
  inputs: {},
  home: '/h',
  newSession: '11111111-2222-4333-8444-555555555555',
  hook: ['/bin/node', 'hook.ts'],
};

const read = (name: string) => readLines(copilot.createReader(), recordedLines(name));
const line = (type: string, data: object) => JSON.stringify({ type, data });
const result = (exitCode: number) => JSON.stringify({ type: 'result', sessionId: 's', exitCode });

describe('starting Copilot', () => {
  test('the prompt comes on stdin, and the session is known before it is told', () => {
    const { argv, stdin, session } = copilot.start(TURN);
    expect(argv.slice(0, 3)).toEqual(['copilot', '--session-id', TURN.newSession]);
    expect(stdin).toBe('Build it');
    expect(session).toBe(TURN.newSession);
    const resumed = copilot.start({ ...TURN, session: 'abc' });
    expect(resumed.argv.slice(0, 2)).toEqual(['copilot', '--resume=abc']);
    expect(resumed.session).toBe('abc');
  });

  test('nobody is asked, nothing is updated, and a provider of one’s own needs no GitHub', () => {
    const { argv, env } = copilot.start(TURN);
    expect(argv).toEqual(
      expect.arrayContaining([
        '--allow-all',
        '--no-ask-user',
        '--no-auto-update',
        '--disable-builtin-mcps',
        '--disable-client-telemetry',
      ]),
    );
    expect(env).toMatchObject({ COPILOT_HOME: '/h/copilot', COPILOT_AUTO_UPDATE: 'false' });
    expect(env).not.toHaveProperty('COPILOT_OFFLINE');
    const own = copilot.start({ ...TURN, env: { COPILOT_PROVIDER_BASE_URL: 'http://localhost' } });
    expect(own.env).toMatchObject({ COPILOT_OFFLINE: 'true' });
  });

  test('the hook stands before every edit; figures of the turn before are cleared away', () => {
    const files = copilot.start(TURN).homeFiles ?? [];
    expect(JSON.parse(files[0]?.text ?? '')).toMatchObject({
      hooks: {
        preToolUse: [
          {
            matcher: expect.stringMatching(/^apply_patch\|create\|edit\|/),
            bash: expect.stringContaining(`answer=$('/bin/node' 'hook.ts')`),
            timeoutSec: 2_000_000,
          },
        ],
      },
    });
    expect(files).toContainEqual({ path: copilot.usageFile?.path, text: '' });
  });
});

describe('what Copilot says', () => {
  test('whole messages, tools with their exit codes and files, the session at the end', () => {
    const events = read('copilot-help');
    const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
    expect(text).toMatch(
      /^I will create the file\.\nNow I run the check\.\nI am stuck\.\n\n<<<NEED_HELP>>>\n/,
    );
    expect(events.filter(({ type }) => type.startsWith('tool'))).toMatchObject([
      { type: 'tool_started', kind: 'edit', title: 'apply_patch hello.txt', paths: ['hello.txt'] },
      { type: 'tool_ended', ok: true, refused: false, paths: [`${DEMO}/hello.txt`] },
      { type: 'tool_started', kind: 'command', command: 'node -e "process.exit(3)"' },
      { type: 'tool_ended', ok: false, exit_code: 3, output: '' },
    ]);
    expect(events.slice(-2)).toEqual([
      { type: 'session', id: 'dab0c394-4b00-4841-9fda-51a765ad1ae2' },
      { type: 'ended', ok: true, reason: 'done' },
    ]);
  });

  test('an edit the gate refused did not happen', () => {
    expect(read('copilot-refused')).toContainEqual(
      expect.objectContaining({
        type: 'tool_ended',
        ok: false,
        refused: true,
        output: 'Denied by preToolUse hook: one file is enough',
      }),
    );
  });

  test('a resumed session is told by its id', () => {
    expect(read('copilot-resume').at(-1)).toEqual({ type: 'ended', ok: true, reason: 'done' });
  });

  test('a tool that names its file by a path', () => {
    const start = { toolCallId: 'c', toolName: 'create', arguments: { path: '/w/a.ts', file_text: '' } };
    expect(readLines(copilot.createReader(), [line('tool.execution_start', start)])[0]).toEqual({
      type: 'tool_started',
      id: 'c',
      kind: 'edit',
      title: 'create /w/a.ts',
      paths: ['/w/a.ts'],
    });
  });
});

describe('how Copilot ends', () => {
  const call = (statusCode: number, message: string) =>
    line('model.call_failure', { statusCode, errorMessage: JSON.stringify({ message }) });
  const error = (errorType: string, message: string, statusCode?: number) =>
    line('session.error', { errorType, message, statusCode });

  test.each([
    [[error('query', '400 bad', 400), result(1)], 'api_error', '400 bad'],
    [
      [call(401, 'wrong key'), error('authentication', 'Authentication failed', 401), result(1)],
      'auth',
      'wrong key. Authentication failed',
    ],
    [[call(429, 'You exceeded your current quota')], 'quota', 'You exceeded your current quota'],
    [[error('query', 'odd', 500), result(0)], 'api_error', 'odd'],
    [[result(3)], 'failed', 'Copilot ended with exit code 3.'],
  ])('%j is %s', (lines, reason, message) => {
    const events = readLines(copilot.createReader(), lines, { code: 1, signal: null });
    expect(events.filter(({ type }) => type === 'ended')).toEqual([
      { type: 'ended', ok: false, reason, message },
    ]);
  });

  test('a call of the model that fails is tried again, which is no end', () => {
    const events = readLines(copilot.createReader(), [call(500, 'out of order'), result(0)]);
    expect(events[0]).toEqual({ type: 'retry', message: 'out of order' });
    expect(events.at(-1)).toMatchObject({ ok: true });
  });

  test.each([
    [{ code: 1, signal: null, stderr: 'Error: No authentication information found.' }, 'auth'],
    [{ code: 1, signal: null, stderr: "Error: No session, task, or name matched 'x'." }, 'no_session'],
    [
      {
        code: 1,
        signal: null,
        stderr: "Error: Session 'x' was found but could not be loaded.\nError: Session file is corrupted",
      },
      'no_session',
    ],
    [{ code: 1, signal: null, stderr: '' }, 'failed'],
    [{ code: null, signal: 'SIGKILL' }, 'interrupted'],
  ])('without a result, %j is %s', (exit, reason) => {
    expect(readLines(copilot.createReader(), [], exit)).toMatchObject([{ type: 'ended', ok: false, reason }]);
  });

  test('noise, unknown events and a cut last line are passed over', () => {
    const whole = recordedLines('copilot-help');
    const cut = whole.at(-1)?.slice(0, 80) ?? '';
    const lines = ['warning: something', line('session.novelty', {}), ...whole.slice(0, -1), cut];
    expect(readLines(copilot.createReader(), lines).at(-1)).toMatchObject({ ok: false, reason: 'failed' });
  });
});

describe('the hook of Copilot', () => {
  const ask = (toolName: string, toolArgs: unknown) => copilot.hook?.readAsk({ toolName, toolArgs });

  test('a writing tool is asked about by its files; one without any is refused; others pass', () => {
    const patch = '*** Begin Patch\n*** Add File: a.ts\n+a\n*** End Patch\n';
    const asked = { paths: ['a.ts'], tool: 'apply_patch', edit: { patch } };
    expect(ask('apply_patch', patch)).toEqual(asked);
    expect(ask('apply_patch', { input: patch })).toEqual(asked);
    expect(ask('edit', { path: '/w/a.ts' })).toEqual({ path: '/w/a.ts', tool: 'edit' });
    expect(ask('create', {})).toMatch(/names no file/);
    expect(ask('bash', { command: 'ls' })).toBeUndefined();
    expect(copilot.hook?.readAsk({ toolName: 'edit' })).toMatch(/could not be read/);
  });

  test('both answers are said, with their reason', () => {
    expect(copilot.hook?.answer({ decision: 'deny', reason: 'no' })).toEqual({
      stdout: '{"permissionDecision":"deny","permissionDecisionReason":"no"}\n',
      stderr: '',
      exitCode: 0,
    });
  });
});

test('the figures it leaves are added up over its models; an empty file has none', () => {
  const usage = (inputTokens: number, outputTokens: number, cacheReadTokens?: number) => ({
    usage: { inputTokens, outputTokens, cacheReadTokens },
  });
  const file = JSON.stringify({ modelMetrics: { a: usage(100, 10, 60), b: usage(5, 1) } }, null, 2);
  expect(copilot.usageFile?.read(file)).toEqual({
    type: 'usage',
    scope: 'session',
    input_tokens: 105,
    output_tokens: 11,
    cached_tokens: 60,
  });
  expect(copilot.usageFile?.read('')).toBeUndefined();
});

test('a moved session does not go back to where it was', () => {
  const relocate = (name: string, text: string) =>
    copilot.relocate?.({ path: `copilot/session-state/s/${name}`, text }, { from: '/w/a', to: '/x: y' }).text;
  expect(relocate('workspace.yaml', 'id: s\ncwd: /w/a\ngit_root: /w/a\nname: /w/a\n')).toBe(
    'id: s\ncwd: "/x: y"\ngit_root: "/x: y"\nname: /w/a\n',
  );
  expect(relocate('workspace.yaml', 'cwd: /w/ab\n')).toBe('cwd: /w/ab\n');
  expect(relocate('events.jsonl', 'cwd: /w/a\n')).toBe('cwd: /w/a\n');
});
