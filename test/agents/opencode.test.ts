import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { opencode } from '../../src/agents/opencode.ts';
import { readLines, recordedLines } from './recorded-stream.ts';

const DEMO = '/home/runner/work/demo/demo';
const TURN = {
  prompt: 'Build it',
  instructions: 'Ask for help',
  cwd: '/w',
  files: { prompt: '/p', context: '/c', inputs: '/i', report: '/r', gate: '/g' },
  inputs: {},
  home: '/h #1',
  newSession: 'unused',
  hook: ['/bin/node', 'hook.ts'],
};
const ID = 'ses_e1e531ed5fferxfDVE590kZpZc';

const read = (name: string) => readLines(opencode.createReader(), recordedLines(name));
const line = (fields: object) => JSON.stringify({ sessionID: ID, ...fields });
const failure = (name: string, data?: object) => line({ type: 'error', error: { name, data } });
const plugin = (fields: object) => JSON.stringify({ type: 'autobuild', ...fields });

test('E-6: that it names its schema in its own settings is its own change, and nothing beside it', () => {
  const isOwn = opencode.ownRewrite?.isOwn ?? (() => undefined);
  const schema = '"$schema": "https://opencode.ai/config.json"';
  expect(isOwn('{"autoupdate": false}', `{\n  ${schema},\n"autoupdate": false}`)).toBe(true);
  expect(isOwn('', `  ${schema},`)).toBe(true);
  expect(isOwn('{"autoupdate": false}', `{${schema}, "autoupdate": true}`)).toBe(false);
  expect(isOwn('{}', '{"plugin": ["x"]}')).toBe(false);
});

describe('starting OpenCode', () => {
  test('the prompt comes on stdin; only a session that is there is named', () => {
    const { argv, stdin } = opencode.start(TURN);
    expect(argv).toEqual(['opencode', 'run', '--format', 'json', '--auto', '--title', 'autobuild']);
    expect(stdin).toBe('Build it');
    expect(opencode.start({ ...TURN, session: ID }).argv.slice(-2)).toEqual(['--session', ID]);
  });

  test('its home is the run’s own, nothing is fetched or shared, and only the plugin allows editing', () => {
    const { env } = opencode.start(TURN);
    expect(env).toMatchObject({
      XDG_DATA_HOME: '/h #1/opencode/data',
      XDG_CONFIG_HOME: '/h #1/opencode/config',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      AUTOBUILD_GATE: '/g',
    });
    expect(JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? '')).toEqual({
      autoupdate: false,
      share: 'disabled',
      plugin: ['file:///h%20%231/opencode/autobuild-gate.js'],
      permission: { edit: 'deny', task: 'deny' },
    });
  });

  test('the session travels as an export, made and read in its own home', () => {
    const place = { session: ID, home: '/h' };
    const made = opencode.exportSession?.(place);
    expect(made).toMatchObject({ argv: ['opencode', 'export', '--pure', ID] });
    expect(opencode.sessionFiles?.(ID)).toEqual([made?.stdoutFile]);
    expect(opencode.importSession?.(place)).toMatchObject({
      argv: ['opencode', 'import', '--pure', `/h/${made?.stdoutFile}`],
      env: { XDG_DATA_HOME: '/h/opencode/data' },
    });
  });
});

describe('what OpenCode says', () => {
  test('text, tools told at their end, and tokens and dollars by step', () => {
    const events = read('opencode-help');
    expect(events[0]).toEqual({ type: 'session', id: ID });
    expect(events.filter(({ type }) => type === 'session')).toHaveLength(1);
    const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
    expect(text).toMatch(
      /^I will create the file\.\nNow I run the check\.\nI am stuck\.\n\n<<<NEED_HELP>>>\n/,
    );
    expect(events.filter(({ type }) => type.startsWith('tool'))).toMatchObject([
      { type: 'tool_started', kind: 'edit', title: `write ${DEMO}/hello.txt`, paths: [`${DEMO}/hello.txt`] },
      { type: 'tool_ended', ok: true, refused: false, paths: [`${DEMO}/hello.txt`] },
      { type: 'tool_started', kind: 'command', command: 'node -e "process.exit(3)"' },
      { type: 'tool_ended', ok: false, exit_code: 3 },
    ]);
    expect(events.filter(({ type }) => type === 'usage')).toEqual(
      Array(3).fill({
        type: 'usage',
        scope: 'step',
        input_tokens: 1234,
        output_tokens: 56,
        cost_usd: 0.004542,
      }),
    );
    expect(events.at(-1)).toEqual({ type: 'ended', ok: true, reason: 'done' });
  });

  test('cached and reasoned tokens are counted, and cached reads told apart', () => {
    const tokens = { input: 1, output: 2, reasoning: 4, cache: { read: 8, write: 16 } };
    const finish = line({ type: 'step_finish', part: { reason: 'stop', tokens } });
    expect(readLines(opencode.createReader(), [finish])).toContainEqual({
      type: 'usage',
      scope: 'step',
      input_tokens: 25,
      output_tokens: 6,
      cached_tokens: 8,
    });
  });

  test('an edit the gate refused did not happen', () => {
    expect(read('opencode-refused')).toContainEqual(
      expect.objectContaining({
        type: 'tool_ended',
        ok: false,
        refused: true,
        output: 'Autobuild refused this: one file is enough',
      }),
    );
  });

  test('the plugin tells session, starts and retries first, each once; a sub-agent’s calls are not ours', () => {
    const call = { tool: 'bash', callID: 'c', input: { command: 'ls' } };
    const state = { status: 'completed', input: { command: 'ls' }, output: 'a', metadata: { exit: 0 } };
    const events = readLines(opencode.createReader(), [
      plugin({ session: ID }),
      plugin({ ...call, sessionID: ID }),
      plugin({ ...call, callID: 'd', sessionID: 'ses_other' }),
      line({ type: 'tool_use', part: { tool: 'bash', callID: 'c', state } }),
      plugin({ retry: 'Connection reset by server' }),
    ]);
    expect(events.slice(0, -1)).toMatchObject([
      { type: 'session', id: ID },
      { type: 'tool_started', id: 'c', kind: 'command', command: 'ls' },
      { type: 'tool_ended', id: 'c', ok: true, exit_code: 0 },
      { type: 'retry', message: 'Connection reset by server' },
    ]);
  });

  test('a patch names its files', () => {
    const patchText = '*** Begin Patch\n*** Add File: a.ts\n+a\n*** Delete File: b.ts\n*** End Patch';
    const events = readLines(opencode.createReader(), [
      plugin({ tool: 'apply_patch', callID: 'c', sessionID: ID, input: { patchText } }),
    ]);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'edit', paths: ['a.ts', 'b.ts'] }));
  });
});

describe('how OpenCode ends', () => {
  test.each([
    [failure('APIError', { message: 'bad', statusCode: 400 }), 'api_error', 'bad'],
    [failure('APIError', { message: 'who?', statusCode: 401 }), 'auth', 'who?'],
    [failure('ProviderAuthError', { message: 'no key' }), 'auth', 'no key'],
    [failure('ContextOverflowError', { message: 'full' }), 'context', 'full'],
    [failure('MessageAbortedError'), 'interrupted', 'MessageAbortedError'],
    [failure('UnknownError', { message: 'odd' }), 'failed', 'odd'],
    [plugin({ retry: 'You exceeded your current quota' }), 'quota', 'You exceeded your current quota'],
  ])('%s is %s', (said, reason, message) => {
    const events = readLines(opencode.createReader(), [said], { code: 1, signal: null });
    expect(events.filter(({ type }) => type === 'ended')).toEqual([
      { type: 'ended', ok: false, reason, message },
    ]);
  });

  const step = (reason: string) => line({ type: 'step_finish', part: { reason } });
  test.each([
    [[step('stop')], { code: 0, signal: null }, 'done'],
    [[step('length')], { code: 0, signal: null }, 'context'],
    [
      [],
      { code: 1, signal: null, stderr: 'opencode run [message..]\n\nrun opencode with a message\n' },
      'unusable',
    ],
    [[step('tool-calls')], { code: 0, signal: null }, 'failed'],
    [[step('stop')], { code: 1, signal: null }, 'failed'],
    [[], { code: 1, signal: null, stderr: '\x1b[91mError: \x1b[0mSession not found' }, 'no_session'],
    [[step('stop')], { code: null, signal: 'SIGKILL' }, 'interrupted'],
  ])('%j and %j is %s', (lines, exit, reason) => {
    expect(readLines(opencode.createReader(), lines, exit).at(-1)).toMatchObject({
      type: 'ended',
      ok: reason === 'done',
      reason,
    });
  });

  test('noise, unknown events and a cut last line are passed over', () => {
    const whole = recordedLines('opencode-help');
    const cut = whole.at(-1)?.slice(0, 80) ?? '';
    const lines = [
      'Performing one time database migration',
      '{"type":"novelty"}',
      ...whole.slice(0, -1),
      cut,
    ];
    const events = readLines(opencode.createReader(), lines);
    expect(events[0]).toEqual({ type: 'session', id: ID });
    expect(events.at(-1)).toMatchObject({ type: 'ended', ok: false, reason: 'failed' });
  });
});

describe('the hook of OpenCode', () => {
  const ask = (tool: string, args: object) => opencode.hook?.readAsk({ tool, args });

  test('a writing tool is asked about by its files; one without any is refused; others pass', () => {
    expect(ask('edit', { filePath: 'a.ts' })).toEqual({ path: 'a.ts', tool: 'edit' });
    expect(ask('apply_patch', { patchText: '*** Update File: b.ts\n' })).toEqual({
      paths: ['b.ts'],
      tool: 'apply_patch',
      edit: { patch: '*** Update File: b.ts\n' },
    });
    expect(ask('write', {})).toMatch(/names no file/);
    expect(ask('read', { filePath: 'a.ts' })).toBeUndefined();
    expect(opencode.hook?.readAsk(undefined)).toMatch(/could not be read/);
  });

  /** What the plugin makes of a hook that prints and exits so. */
  function editWith(hook: string[]): string {
    const source = opencode.start({ ...TURN, hook }).homeFiles?.[0]?.text ?? '';
    const play = `const { "tool.execute.before": before, config } = await AutobuildGate();
const given = { permission: { edit: "deny", bash: "allow" } };
await config(given);
await before({ tool: "write", sessionID: "s", callID: "c" }, { args: { filePath: "a.ts" } })
  .then(() => console.log("edited", given.permission.edit, given.permission.bash), (error) => console.log(error.message));`;
    return execFileSync(process.execPath, ['--input-type=module', '-e', `${source}\n${play}`], {
      encoding: 'utf8',
    });
  }

  test('the plugin lets an edit through on a clear yes only', () => {
    const sh = (script: string) => ['sh', '-c', `cat > /dev/null; ${script}`];
    const yes = opencode.hook?.answer({ decision: 'allow', reason: 'fine' }).stdout;
    const no = opencode.hook?.answer({ decision: 'deny', reason: 'too many' }).stdout;
    expect(editWith(sh(`echo '${yes}'`))).toMatch(/"tool":"write".*\nedited allow allow\n$/);
    expect(editWith(sh(`echo '${no}'; exit 2`))).toMatch(/\nAutobuild refused this: too many\n$/);
    expect(editWith(sh(`echo '${yes}'; exit 1`))).toMatch(/\nAutobuild refused this: /);
    expect(editWith(sh('exit 0'))).toMatch(/\nAutobuild refused this: the gate could not be asked\n$/);
    expect(editWith(['/nowhere/hook'])).toMatch(/\nAutobuild refused this: the gate could not be asked\n$/);
    expect(editWith([])).toMatch(/\nAutobuild refused this: there is no gate to ask\n$/);
  });
});
