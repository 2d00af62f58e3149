import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gemini } from '../../src/agents/gemini.ts';
import { expectLinear } from '../expect-linear.ts';
import { makeTemporaryDirectory } from '../runner/temporary-worktree.ts';
import { readLines, recordedLines } from './recorded-stream.ts';

const DEMO = '/home/runner/work/demo/demo';
const TURN = {
  prompt: 'Build it',
  instructions: 'Ask for help',
  cwd: '/w',
  files: { prompt: '/p', context: '/c', inputs: '/i', report: '/r', gate: '/g' },
  inputs: { 'api-key': 'v' },
  home: '/h',
  newSession: '11111111-2222-4333-8444-555555555555',
  hook: ['/bin/node', "it's.ts"],
};
const SESSION = { type: 'session', id: 'cebb715b-07ea-4b97-b953-faf190cd9800' };

const read = (name: string) => readLines(gemini.createReader(), recordedLines(name));
const settingsOf = (turn: Parameters<typeof gemini.start>[0]) =>
  JSON.parse(gemini.start(turn).homeFiles?.[0]?.text ?? '');
const result = (fields: object) => JSON.stringify({ type: 'result', status: 'error', ...fields });
const ending = (...lines: string[]) => readLines(gemini.createReader(), lines).at(-1);

describe('starting Gemini CLI', () => {
  test('the prompt comes on stdin; a session is begun under an id and resumed by it', () => {
    const { argv, stdin, env } = gemini.start(TURN);
    expect(argv).toEqual(expect.arrayContaining(['--session-id', TURN.newSession, '--skip-trust']));
    expect(stdin).toBe('Build it');
    expect(env).toMatchObject({
      GEMINI_CLI_HOME: '/h/gemini',
      AUTOBUILD_GATE: '/g',
      AUTOBUILD_INPUT_API_KEY: 'v',
    });
    expect(gemini.start({ ...TURN, session: 'abc' }).argv).toEqual(
      expect.arrayContaining(['--resume', 'abc']),
    );
  });

  test('the hook stands before every edit for as long as a timer counts, and nothing calls home', () => {
    const settings = settingsOf(TURN);
    expect(settings).toMatchObject({
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false },
      advanced: { ignoreLocalEnv: true },
    });
    expect(settings.hooks.BeforeTool[0]).toMatchObject({
      matcher: '^(write_file|replace)$',
      hooks: [
        {
          timeout: 2147483647,
          command: expect.stringContaining(`answer=$('/bin/node' 'it'\\''s.ts')`),
          env: { AUTOBUILD_GATE: '/g' },
        },
      ],
    });
  });

  test('S-3: the address for the key is the user’s, or none in so many words', () => {
    const env = { GOOGLE_GEMINI_BASE_URL: 'http://mine' };
    expect(gemini.start({ ...TURN, env }).env).toMatchObject({ ...env, GOOGLE_VERTEX_BASE_URL: '' });
    expect(gemini.start(TURN).env).toMatchObject({ GOOGLE_GEMINI_BASE_URL: '' });
  });

  test('the kind of key is named by the environment', () => {
    const kind = (env: Record<string, string>) => settingsOf({ ...TURN, env }).security.auth.selectedType;
    expect(kind({ GEMINI_API_KEY: 'k' })).toBe('gemini-api-key');
    expect(kind({})).toBe('gemini-api-key');
    expect(kind({ GOOGLE_API_KEY: 'k' })).toBe('vertex-ai');
    expect(kind({ GEMINI_API_KEY: 'k', GOOGLE_GENAI_USE_VERTEXAI: 'true' })).toBe('vertex-ai');
  });
});

describe('what Gemini CLI says', () => {
  test('text comes in pieces, each message on a line of its own; the exit code stands in the text', () => {
    const events = read('gemini-help');
    const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
    expect(text).toMatch(
      /^I will create the file\.\nNow I run the check\.\nI am stuck\.\n\n<<<NEED_HELP>>>\n/,
    );
    expect(events[0]).toEqual(SESSION);
    expect(events.filter(({ type }) => type.startsWith('tool'))).toEqual([
      {
        type: 'tool_started',
        id: expect.any(String),
        kind: 'edit',
        title: `write_file ${DEMO}/hello.txt`,
        paths: [`${DEMO}/hello.txt`],
      },
      expect.objectContaining({ type: 'tool_ended', ok: true, refused: false }),
      {
        type: 'tool_started',
        id: expect.any(String),
        kind: 'command',
        title: 'node -e "process.exit(3)"',
        command: 'node -e "process.exit(3)"',
        paths: [],
      },
      expect.objectContaining({ type: 'tool_ended', ok: false, exit_code: 3, refused: false }),
    ]);
    expect(events.slice(-2)).toEqual([
      { type: 'usage', scope: 'run', input_tokens: 3702, output_tokens: 168 },
      { type: 'ended', ok: true, reason: 'done' },
    ]);
  });

  test('a resumed session tells its id and the figures of this turn alone', () => {
    const events = read('gemini-resume');
    expect(events[0]).toEqual(SESSION);
    expect(events).toContainEqual({ type: 'usage', scope: 'run', input_tokens: 2468, output_tokens: 112 });
  });

  test('an edit the gate refused did not happen', () => {
    expect(read('gemini-refused')).toContainEqual(
      expect.objectContaining({
        type: 'tool_ended',
        ok: false,
        refused: true,
        output: 'Tool execution blocked: one file is enough',
      }),
    );
  });

  test.each([
    [
      'Output: all is lost\nExit Code: 3\nProcess Group PGID: 7',
      { ok: false, exit_code: 3, output: 'all is lost' },
    ],
    [
      '<untrusted_context>\nOutput: a\nExit Code: 1\n</untrusted_context>',
      { ok: false, exit_code: 1, output: 'a' },
    ],
    ['Output: (empty)\nSignal: 9\nProcess Group PGID: 7', { ok: false, output: '(empty)' }],
    ['Could not find the file', { ok: false, output: 'Could not find the file' }],
  ])('a failed result %j', (message, expected) => {
    const line = { type: 'tool_result', tool_id: 't', status: 'error', error: { message } };
    expect(readLines(gemini.createReader(), [JSON.stringify(line)])[0]).toMatchObject({
      type: 'tool_ended',
      refused: false,
      ...expected,
    });
  });

  test('a command that prints an exit code of its own has not failed by it', () => {
    const output = 'Output: Exit Code: 5\nmore\nProcess Group PGID: 7';
    const line = { type: 'tool_result', tool_id: 't', status: 'success', output };
    const [ended] = readLines(gemini.createReader(), [JSON.stringify(line)]);
    expect(ended).toMatchObject({ ok: true });
    expect(ended).not.toHaveProperty('exit_code');
  });
});

describe('how Gemini CLI ends', () => {
  const api = (code: number, message: string) => ({
    error: { type: 'unknown', message: `[API Error: ${JSON.stringify({ error: { code, message } })}]` },
  });

  test.each([
    [api(400, 'bad'), 'api_error', 'bad'],
    [api(400, 'API key not valid. Please pass a valid API key.'), 'auth', /^API key not valid/],
    [api(403, 'no'), 'auth', 'no'],
    [api(429, 'You exceeded your current quota'), 'quota', 'You exceeded your current quota'],
    [{ error: { type: 'unknown', message: '[API Error: terminated]' } }, 'api_error', /terminated/],
    [{ error: { type: 'FatalTurnLimitedError', message: 'Reached max' } }, 'max_turns', /Reached/],
    [{ error: { type: 'FatalCancellationError', message: 'cancelled' } }, 'interrupted', /cancelled/],
    [{}, 'failed', /does not name/],
  ])('%j is %s', (fields, reason, message) => {
    expect(ending(result(fields))).toMatchObject({
      type: 'ended',
      ok: false,
      reason,
      message: expect.stringMatching(message),
    });
  });

  test('a result called a success is none after an error, and is after a warning', () => {
    const error = (severity: string, message: string) => JSON.stringify({ type: 'error', severity, message });
    const done = JSON.stringify({ type: 'result', status: 'success' });
    expect(ending(error('error', 'Maximum session turns exceeded'), done)).toMatchObject({
      reason: 'max_turns',
    });
    expect(ending(error('warning', 'Loop detected, stopping execution'), done)).toMatchObject({ ok: false });
    expect(ending(error('warning', 'Agent execution blocked: by a hook'), done)).toMatchObject({ ok: true });
  });

  test.each([
    [
      { code: 41, signal: null, stderr: 'YOLO mode is enabled. All …\nset GEMINI_API_KEY' },
      'auth',
      'set GEMINI_API_KEY',
    ],
    [{ code: 53, signal: null }, 'max_turns', /exit code 53/],
    [{ code: 42, signal: null, stderr: 'Error resuming session: none' }, 'no_session', /none/],
    [{ code: 1, signal: null }, 'failed', /exit code 1/],
    [{ code: null, signal: 'SIGKILL' }, 'interrupted', /SIGKILL/],
  ])('without a result, %j', (exit, reason, message) => {
    expect(readLines(gemini.createReader(), ['{"type":"init","session_id":"s"}'], exit).at(-1)).toMatchObject(
      {
        ok: false,
        reason,
        message: expect.stringMatching(message),
      },
    );
  });

  test('noise, unknown events and a cut last line are passed over', () => {
    const lines = ['Loaded cached credentials.', '{"type":"novelty"}', '[]', 'null', '{"type":"tool_use"}'];
    const whole = recordedLines('gemini-help');
    const cut = whole.at(-1)?.slice(0, 60) ?? '';
    const events = readLines(gemini.createReader(), [...lines, ...whole.slice(0, -1), cut]);
    expect(events[0]).toEqual(SESSION);
    expect(events.at(-1)).toMatchObject({ type: 'ended', ok: false, reason: 'failed' });
  });
});

describe('the hook of Gemini CLI', () => {
  const ask = (tool_name: string, tool_input: object) => gemini.hook?.readAsk({ tool_name, tool_input });

  test('a writing tool is asked about by its file; one without a file is refused; others pass', () => {
    expect(ask('write_file', { file_path: 'a.ts', content: '' })).toEqual({
      path: 'a.ts',
      tool: 'write_file',
      edit: { content: '' },
    });
    expect(ask('replace', { file_path: '/w/a.ts' })).toEqual({ path: '/w/a.ts', tool: 'replace' });
    expect(ask('replace', {})).toMatch(/names no file/);
    expect(ask('run_shell_command', { command: 'ls' })).toBeUndefined();
    expect(gemini.hook?.readAsk('nonsense')).toMatch(/could not be read/);
  });

  test('both answers are said, never left to silence', () => {
    expect(gemini.hook?.answer({ decision: 'allow', reason: 'fine' })).toMatchObject({
      stdout: '{"decision":"allow"}\n',
      exitCode: 0,
    });
    expect(gemini.hook?.answer({ decision: 'deny', reason: 'no "x"' })).toMatchObject({
      stdout: '{"decision":"deny","reason":"no \\"x\\""}\n',
      exitCode: 2,
    });
  });
});

test('a moved session knows its worktree by the new path, and no other by it', () => {
  const relocate = (path: string, text: string) =>
    gemini.relocate?.({ path: `gemini/.gemini/${path}`, text }, { from: '/w/a', to: '/x/b' }).text;
  const projects = JSON.stringify({ projects: { '/w/a': 'a', '/w/ab': 'ab' } });
  expect(JSON.parse(relocate('projects.json', projects) ?? '')).toEqual({
    projects: { '/x/b': 'a', '/w/ab': 'ab' },
  });
  expect(relocate('tmp/a/.project_root', '/w/a\n')).toBe('/x/b');
  expect(relocate('tmp/ab/.project_root', '/w/ab')).toBe('/w/ab');
  expect(relocate('tmp/a/chats/session-x.jsonl', '/w/a')).toBe('/w/a');
});

const ended = (output: string) =>
  readLines(gemini.createReader(), [
    JSON.stringify({ type: 'tool_result', tool_id: 't', status: 'success', output }),
  ])[0];

describe('what the shell tool puts below an output', () => {
  test.each([
    ['Output: x\nExit Code: 3\nBackground PIDs: 7\nProcess Group PGID: 8', { exit_code: 3, output: 'x' }],
    ['Output: x\nExit Code: 3\nSignal: SIGTERM', { exit_code: 3, output: 'x' }],
    ['Output: Exit Code: 1\nfine', { ok: true, output: 'Output: Exit Code: 1\nfine' }],
    ['Output: x\nExit Code: 3\nmore', { ok: true, output: 'Output: x\nExit Code: 3\nmore' }],
    ['Output: x\nSignal: SIGTERM\nProcess Group PGID: 8', { output: 'x' }],
  ])('%j', (output, end) => {
    expect(ended(output)).toMatchObject(end);
  });

  const lookalike = (lines: number) => `Output: x${'\nSignal: x'.repeat(lines)}\nno`;

  test('lines that look like it cost no more than their number', () => {
    expectLinear((lines) => ended(lookalike(lines)), 10_000);
  });

  test('the hook that passes a failure on reads it the same, and as fast', () => {
    const script = gemini.start(TURN).homeFiles?.find(({ path }) => path.endsWith('shell-result.mjs'));
    const file = join(makeTemporaryDirectory(), 'shell-result.mjs');
    writeFileSync(file, script?.text ?? '');
    const answer = (said: string) => {
      const input = JSON.stringify({
        tool_response: { llmContent: `<untrusted_context>\n${said}\n</untrusted_context>` },
      });
      return JSON.parse(execFileSync(process.execPath, [file], { input, encoding: 'utf8', timeout: 60_000 }));
    };
    expect(answer('Output: x\nExit Code: 3\nProcess Group PGID: 8')).toMatchObject({ decision: 'deny' });
    expect(answer('Output: x\nSignal: 9')).toMatchObject({ decision: 'deny' });
    expect(answer('Output: x\nExit Code: 0')).toEqual({});
    expect(answer('Output: x\nExit Code: 3\nmore')).toEqual({});
    expect(answer(lookalike(100_000))).toEqual({});
  });
});

test('cost_exceeds: tokens read from the cache are told apart', () => {
  const stats = { input_tokens: 100, output_tokens: 5, cached: 90, input: 10 };
  const result = JSON.stringify({ type: 'result', status: 'success', stats });
  expect(gemini.createReader().read(result)).toContainEqual({
    type: 'usage',
    scope: 'run',
    input_tokens: 100,
    output_tokens: 5,
    cached_tokens: 90,
  });
});
