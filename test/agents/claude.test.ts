import { describe, expect, test } from 'vitest';
import { claude } from '../../src/agents/claude.ts';
import { readLines, recordedLines } from './recorded-stream.ts';

const DEMO = '/home/runner/work/demo/demo';
const FILES = { prompt: '/p', context: '/c', inputs: '/i', report: '/r', gate: '/g' };
const TURN = {
  prompt: 'Build "it"\nnow',
  instructions: 'Ask for help',
  cwd: '/w',
  files: FILES,
  inputs: { 'api-url': 'x' },
  home: '/h',
  newSession: '11111111-1111-4111-8111-111111111111',
  hook: ['/bin/node', "/it's/cli.ts", 'hook'],
};

const read = (name: string) => readLines(claude.createReader(), recordedLines(name));
const ends = (line: object, exit = { code: 0, signal: null as string | null }) =>
  readLines(claude.createReader(), [JSON.stringify(line)], exit);

describe('starting Claude Code', () => {
  test('a new session has our id, a resumed one its own', () => {
    const { argv } = claude.start(TURN);
    expect(argv.slice(0, 2)).toEqual(['claude', '-p']);
    expect(argv).toContain(TURN.newSession);
    expect(argv).not.toContain('--resume');
    const resumed = claude.start({ ...TURN, session: 'abc' }).argv;
    expect(resumed.slice(resumed.indexOf('--resume'))).toContain('abc');
    expect(resumed).not.toContain('--session-id');
  });

  test('the prompt is the first message on stdin, which stays open for more', () => {
    const { stdin, keepStdinOpen } = claude.start(TURN);
    expect(keepStdinOpen).toBe(true);
    expect(stdin).toBe(claude.encodeMessage?.(TURN.prompt));
    expect(stdin.indexOf('\n')).toBe(stdin.length - 1);
    expect(JSON.parse(stdin)).toEqual({
      type: 'user',
      message: { role: 'user', content: [{ type: 'text', text: TURN.prompt }] },
    });
  });

  test('the hook stands before every tool that writes, and fails closed', () => {
    const { argv } = claude.start(TURN);
    const settings = JSON.parse(argv[argv.indexOf('--settings') + 1] ?? '');
    expect(settings.disableAllHooks).toBe(false);
    expect(settings.hooks.PreToolUse).toEqual([
      {
        matcher: 'Write|Edit|MultiEdit|NotebookEdit',
        hooks: [
          {
            type: 'command',
            command: expect.stringMatching(
              /^'\/bin\/node' '\/it'\\''s\/cli\.ts' 'hook' && exit 0; .*; exit 2$/,
            ),
            timeout: expect.any(Number),
            onFailure: 'block',
          },
        ],
      },
    ]);
  });

  test('its home is the run’s own, nothing calls home, and nobody is asked', () => {
    const { argv, env } = claude.start(TURN);
    expect(env).toMatchObject({
      CLAUDE_CONFIG_DIR: '/h/claude',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      AUTOBUILD_GATE: '/g',
      AUTOBUILD_INPUT_API_URL: 'x',
    });
    expect(argv[argv.indexOf('--disallowedTools') + 1]?.split(',')).toContain('AskUserQuestion');
    expect(argv).toContain('--strict-mcp-config');
  });
});

describe('reading Claude Code', () => {
  test('session, words, an edit, a failing command, figures and the end', () => {
    const events = read('claude-help');
    expect(events.filter(({ type }) => type !== 'usage')).toEqual([
      { type: 'session', id: '3c7ca390-2c0d-4ecf-8441-4a38e08c9d56' },
      { type: 'text', text: 'I will create the file.\n' },
      {
        type: 'tool_started',
        id: 'toolu_8qpkt6lv8wmwihya19',
        kind: 'edit',
        title: `Write ${DEMO}/hello.txt`,
        paths: [`${DEMO}/hello.txt`],
      },
      {
        type: 'tool_ended',
        id: 'toolu_8qpkt6lv8wmwihya19',
        ok: true,
        refused: false,
        output: expect.stringContaining('File created successfully'),
        paths: [],
      },
      { type: 'text', text: 'Now I run the check.\n' },
      {
        type: 'tool_started',
        id: 'toolu_zs7clf83rwmwihya7v',
        kind: 'command',
        title: 'node -e "process.exit(3)"',
        command: 'node -e "process.exit(3)"',
        paths: [],
      },
      {
        type: 'tool_ended',
        id: 'toolu_zs7clf83rwmwihya7v',
        ok: false,
        exit_code: 3,
        refused: false,
        output: 'Exit code 3',
        paths: [],
      },
      { type: 'text', text: expect.stringContaining('<<<NEED_HELP>>>\nwhat_i_tried') },
      { type: 'ended', ok: true, reason: 'done' },
    ]);
  });

  test('figures are of this invocation, grow while it runs, and never fall', () => {
    const figures = (name: string) => read(name).filter((event) => event.type === 'usage');
    expect(figures('claude-help').map((event) => event.input_tokens)).toEqual([
      1234, 1234, 2468, 2468, 3702, 3702,
    ]);
    expect(figures('claude-help').at(-1)).toEqual({
      type: 'usage',
      scope: 'run',
      input_tokens: 3702,
      output_tokens: 168,
      cost_usd: expect.closeTo(0.018168, 9),
    });
    // The session's own total would be 0.03028 by now.
    expect(figures('claude-resume').at(-1)).toMatchObject({
      input_tokens: 2468,
      output_tokens: 112,
      cost_usd: expect.closeTo(0.012112, 9),
    });
  });

  test('an edit the hook refused did not happen', () => {
    expect(read('claude-refused')).toContainEqual(
      expect.objectContaining({
        type: 'tool_ended',
        ok: false,
        refused: true,
        output: expect.stringContaining('file limit reached'),
      }),
    );
  });

  test('K-2: its limit of turns, and failures of the API, are told by their reason', () => {
    expect(read('claude-max-turns').at(-1)).toMatchObject({
      ok: false,
      reason: 'max_turns',
      message: 'Reached maximum number of turns (1)',
    });
    expect(read('claude-api-error').filter(({ type }) => type !== 'usage')).toEqual([
      expect.objectContaining({ type: 'session' }),
      { type: 'ended', ok: false, reason: 'api_error', message: 'API Error: 400 scripted error' },
    ]);
    expect(read('claude-no-key').at(-1)).toMatchObject({
      reason: 'auth',
      message: expect.stringContaining('/login'),
    });
  });

  test('K-2: a try again is no failure; a key that is refused twice ends the turn at once', () => {
    const retry = (error_status: number, attempt: number) =>
      JSON.stringify({
        type: 'system',
        subtype: 'api_retry',
        attempt,
        max_retries: 10,
        error_status,
        error: 'x',
      });
    const { read: next, end } = claude.createReader();
    expect(next(retry(529, 2))).toEqual([{ type: 'retry', message: expect.stringContaining('529 x') }]);
    expect(next(retry(401, 1))).toEqual([expect.objectContaining({ type: 'retry' })]);
    expect(next(retry(401, 2))).toEqual([
      expect.objectContaining({ type: 'ended', ok: false, reason: 'auth' }),
    ]);
    expect(next(retry(401, 3))).toEqual([expect.objectContaining({ type: 'retry' })]);
    expect(end?.({ code: null, signal: 'SIGTERM' })).toEqual([]);
  });

  test('a result with a message waiting is not the end', () => {
    const result = { type: 'result', subtype: 'success', is_error: false };
    expect(ends({ ...result, queued_turn_count: 0 })).toEqual([{ type: 'ended', ok: true, reason: 'done' }]);
    expect(ends({ ...result, queued_turn_count: 1 })).toMatchObject([{ ok: false, reason: 'failed' }]);
  });

  test('a conversation that is not there, an interrupt, and anything else have reasons of their own', () => {
    const failed = (rest: object) =>
      ends({ type: 'result', subtype: 'error_during_execution', is_error: true, ...rest });
    expect(failed({ errors: ['No conversation found with session ID: x'] })).toMatchObject([
      { reason: 'no_session' },
    ]);
    expect(failed({ terminal_reason: 'aborted_streaming' })).toMatchObject([{ reason: 'interrupted' }]);
    expect(failed({ errors: ['something broke'] })).toMatchObject([
      { reason: 'failed', message: 'something broke' },
    ]);
  });

  test('partial messages and unknown events add nothing; noise and a line cut short are passed over', () => {
    const whole = recordedLines('claude-partial');
    const text = readLines(claude.createReader(), whole).filter(({ type }) => type === 'text');
    expect(text).toHaveLength(3);
    const noisy = whole.flatMap((line) => [
      'npm warn something',
      '{"type":"novelty"}',
      '[1]',
      'null',
      '',
      line,
    ]);
    expect(readLines(claude.createReader(), noisy)).toEqual(readLines(claude.createReader(), whole));
    const cut = [...whole.slice(0, -1), whole.at(-1)?.slice(0, 200) ?? ''];
    expect(readLines(claude.createReader(), cut, { code: 1, signal: null }).at(-1)).toMatchObject({
      type: 'ended',
      ok: false,
      reason: 'failed',
    });
  });

  test('events of the right name with the wrong shape are passed over', () => {
    const odd = [
      { type: 'assistant' },
      { type: 'assistant', message: { id: 1, content: 'x' } },
      {
        type: 'assistant',
        message: { id: 'm', content: [{ type: 'tool_use' }, { type: 'text', text: 1 }, 7] },
      },
      { type: 'user', message: { content: [{ type: 'tool_result' }] } },
      { type: 'user', message: { role: 'user', content: 'said by us' } },
      { type: 'system', subtype: 'init', session_id: '--resume=/etc' },
    ].map((event) => JSON.stringify(event));
    expect(readLines(claude.createReader(), odd, { code: null, signal: 'SIGKILL' })).toEqual([
      { type: 'ended', ok: false, reason: 'interrupted', message: 'Claude Code was stopped by SIGKILL.' },
    ]);
  });

  test('a sub-agent’s words are not the agent’s, what it does counts', () => {
    const message = {
      id: 'm',
      content: [
        { type: 'text', text: '<<<NEED_HELP>>>' },
        { type: 'tool_use', id: 't', name: 'Edit', input: { file_path: '/w/a' } },
      ],
    };
    const { read: next } = claude.createReader();
    expect(next(JSON.stringify({ type: 'assistant', parent_tool_use_id: 'p', message }))).toEqual([
      expect.objectContaining({ type: 'tool_started', kind: 'edit', paths: ['/w/a'] }),
    ]);
  });

  test('an end without a word is explained by what stood on stderr', () => {
    const end = (stderr: string) => readLines(claude.createReader(), [], { code: 1, signal: null, stderr });
    expect(end('bypassPermissions cannot be used with root privileges\n')).toMatchObject([
      { reason: 'failed', message: 'bypassPermissions cannot be used with root privileges' },
    ]);
    expect(end('Invalid API key')).toMatchObject([{ reason: 'auth' }]);
    expect(end('')).toMatchObject([{ reason: 'failed', message: expect.stringContaining('exit code 1') }]);
  });
});

describe('Claude Code’s hook', () => {
  const ask = (tool_name: string, tool_input: unknown) => claude.hook?.readAsk({ tool_name, tool_input });

  test('names the file that is about to be written', () => {
    expect(ask('Write', { file_path: '/w/a', content: 'x' })).toEqual({
      path: '/w/a',
      tool: 'Write',
      edit: { content: 'x' },
    });
    expect(ask('NotebookEdit', { notebook_path: '/w/n.ipynb' })).toEqual({
      path: '/w/n.ipynb',
      tool: 'NotebookEdit',
    });
    expect(ask('Bash', { command: 'ls' })).toBeUndefined();
  });

  test('what cannot be read is refused', () => {
    expect(ask('Edit', {})).toBe('Edit names no file');
    for (const input of [undefined, null, 'x', {}, { tool_name: 'Write', tool_input: { file_path: 7 } }]) {
      expect(claude.hook?.readAsk(input)).toEqual(expect.any(String));
    }
  });

  test('a refusal blocks and says why', () => {
    expect(claude.hook?.answer({ decision: 'allow', reason: '' })).toEqual({
      stdout: '',
      stderr: '',
      exitCode: 0,
    });
    expect(claude.hook?.answer({ decision: 'deny', reason: 'out of scope' })).toEqual({
      stdout: '',
      stderr: 'out of scope\n',
      exitCode: 2,
    });
  });
});
