import { describe, expect, test } from 'vitest';
import { codex } from '../../src/agents/codex.ts';
import { readLines, recordedLines } from './recorded-stream.ts';

const DEMO = '/home/runner/work/demo/demo';
const FILES = { prompt: '/p', context: '/c', inputs: '/i', report: '/r', gate: '/g' };
const TURN = {
  prompt: 'Build it',
  instructions: 'Ask for help',
  cwd: '/w "x"',
  files: FILES,
  inputs: {},
  home: '/h',
  newSession: 'unused',
  hook: ['/bin/node', 'cli.ts', 'hook'],
};

const read = (name: string) => readLines(codex.createReader(), recordedLines(name));

/** The settings on the command line. */
function settingsOf(argv: string[]): string[] {
  return argv.filter((_, at) => argv[at - 1] === '-c');
}

describe('starting Codex', () => {
  test('the prompt comes on stdin; a session is resumed by its id', () => {
    const { argv, stdin, keepStdinOpen } = codex.start(TURN);
    expect(argv.slice(0, 3)).toEqual(['codex', 'exec', '--json']);
    expect(argv.at(-1)).toBe('-');
    expect(stdin).toBe('Build it');
    expect(keepStdinOpen).toBeUndefined();
    const resumed = codex.start({ ...TURN, session: 'abc' }).argv;
    expect(resumed.slice(0, 3)).toEqual(['codex', 'exec', 'resume']);
    expect(resumed.slice(-2)).toEqual(['abc', '-']);
  });

  test('the hook stands before every edit, trusted, and fails closed', () => {
    const { argv } = codex.start(TURN);
    expect(argv).toContain('--dangerously-bypass-hook-trust');
    expect(settingsOf(argv)).toContain('features.hooks=true');
    expect(settingsOf(argv)).toContainEqual(
      expect.stringMatching(
        /^hooks\.PreToolUse=\[\{"matcher" = "apply_patch\|Edit\|Write", .*"command" = "'\/bin\/node' 'cli\.ts' 'hook' && exit 0; [^"]+; exit 2", "timeout" = \d{8}\}\]\}, \{"matcher" = "Bash", .*'\/bin\/node' 'cli\.ts' 'hook' && exit 0; [^"]+; exit 2", "timeout" = \d{8}\}\]\}\]$/,
      ),
    );
  });

  test('its home is the run’s own, nothing calls home, and the worktree configures nothing', () => {
    const { argv, env } = codex.start(TURN);
    expect(env).toMatchObject({
      CODEX_HOME: '/h/codex',
      CODEX_SQLITE_HOME: '/h/codex-state',
      AUTOBUILD_GATE: '/g',
    });
    expect(settingsOf(argv)).toEqual(
      expect.arrayContaining([
        'features.plugins=false',
        'features.multi_agent=false',
        'check_for_update_on_startup=false',
        'analytics.enabled=false',
        'projects={"/w \\"x\\"" = {"trust_level" = "untrusted"}}',
      ]),
    );
  });

  test('the key goes under the name it reads, another address as a provider', () => {
    const start = (env?: Record<string, string>) => codex.start({ ...TURN, env });
    expect(start({ OPENAI_API_KEY: 'k' }).env.CODEX_API_KEY).toBe('k');
    expect(start({ OPENAI_API_KEY: 'k', CODEX_API_KEY: 'c' }).env.CODEX_API_KEY).toBe('c');
    expect(start().env).not.toHaveProperty('CODEX_API_KEY');
    expect(settingsOf(start().argv).join()).not.toContain('model_provider');
    expect(settingsOf(start({ OPENAI_BASE_URL: 'http://m/v1' }).argv)).toEqual(
      expect.arrayContaining([
        'model_provider="other"',
        expect.stringContaining('"base_url" = "http://m/v1"'),
      ]),
    );
  });
});

describe('reading Codex', () => {
  test('session, words, an edit, a failing command, figures and the end', () => {
    expect(read('codex-help')).toEqual([
      { type: 'session', id: '01a1e1a9-e3b9-7ca1-b287-a9c6eec725be' },
      { type: 'text', text: 'I will create the file.\n' },
      {
        type: 'tool_started',
        id: 'item_1',
        kind: 'edit',
        title: `edit ${DEMO}/hello.txt`,
        paths: [`${DEMO}/hello.txt`],
      },
      {
        type: 'tool_ended',
        id: 'item_1',
        ok: true,
        refused: false,
        output: '',
        paths: [`${DEMO}/hello.txt`],
      },
      { type: 'text', text: 'Now I run the check.\n' },
      {
        type: 'tool_started',
        id: 'item_3',
        kind: 'command',
        title: 'node -e "process.exit(3)"',
        command: 'node -e "process.exit(3)"',
        paths: [],
      },
      { type: 'tool_ended', id: 'item_3', ok: false, exit_code: 3, refused: false, output: '', paths: [] },
      { type: 'text', text: expect.stringContaining('<<<NEED_HELP>>>\nwhat_i_tried') },
      { type: 'usage', scope: 'session', input_tokens: 3702, output_tokens: 168 },
      { type: 'ended', ok: true, reason: 'done' },
    ]);
  });

  test('figures are told over all resumes', () => {
    expect(read('codex-resume')).toContainEqual({
      type: 'usage',
      scope: 'session',
      input_tokens: 6170,
      output_tokens: 280,
    });
  });

  test('a refused edit leaves no trace, and warnings are no errors', () => {
    const events = read('codex-refused');
    expect(events.filter((event) => event.type === 'tool_started').map(({ kind }) => kind)).toEqual([
      'command',
    ]);
    expect(events.at(-1)).toMatchObject({ ok: true });
  });

  test('K-2: trying again is told as such, a failed turn by its reason', () => {
    expect(read('codex-failed').slice(1)).toEqual([
      { type: 'retry', message: expect.stringContaining('Reconnecting... 1/1') },
      { type: 'ended', ok: false, reason: 'api_error', message: expect.stringContaining('high demand') },
    ]);
  });

  test.for([
    ['unexpected status 401 Unauthorized: Incorrect API key provided', 'auth'],
    ['Quota exceeded. Check your plan and billing details.', 'quota'],
    ["Codex ran out of room in the model's context window.", 'context'],
    ['stream disconnected before completion', 'api_error'],
  ] as const)('"%s" is %s', ([message, reason]) => {
    const failed = JSON.stringify({ type: 'turn.failed', error: { message } });
    expect(readLines(codex.createReader(), [failed])).toEqual([
      { type: 'ended', ok: false, reason, message },
    ]);
    const error = JSON.stringify({ type: 'error', message });
    expect(readLines(codex.createReader(), [error], { code: 1, signal: null })).toMatchObject([
      { reason, message },
    ]);
  });

  test('noise, unknown events and a line cut short are passed over; a missing end is supplied', () => {
    const whole = recordedLines('codex-help');
    const noisy = whole.flatMap((line) => [
      'WARNING: x',
      '{"type":"novelty"}',
      '{"type":"item.completed","item":{"id":"i","type":"todo_list","items":[]}}',
      '{"type":"item.completed","item":7}',
      line,
    ]);
    expect(readLines(codex.createReader(), noisy)).toEqual(read('codex-help'));
    const cut = [...whole.slice(0, -1), whole.at(-1)?.slice(0, 40) ?? ''];
    const end = (exit: { code: number | null; signal: string | null; stderr?: string }) =>
      readLines(codex.createReader(), cut, exit).at(-1);
    expect(end({ code: 0, signal: null })).toMatchObject({ ok: false, reason: 'failed' });
    expect(end({ code: null, signal: 'SIGKILL' })).toMatchObject({ ok: false, reason: 'interrupted' });
    const stderr = 'Error: thread/resume failed: no rollout found for thread id x';
    expect(end({ code: 1, signal: null, stderr })).toMatchObject({ reason: 'no_session', message: stderr });
    const otherVersion = 'Error: thread/resume: thread/resume failed: failed to read thread';
    expect(end({ code: 1, signal: null, stderr: otherVersion })).toMatchObject({ reason: 'no_session' });
  });

  test('a call told only when it is over has a start all the same; a declined one was refused', () => {
    const item = {
      id: 'i',
      type: 'command_execution',
      command: 'ls',
      aggregated_output: '',
      status: 'declined',
    };
    const { read: next } = codex.createReader();
    expect(next(JSON.stringify({ type: 'item.completed', item }))).toEqual([
      expect.objectContaining({ type: 'tool_started', command: 'ls' }),
      expect.objectContaining({ type: 'tool_ended', ok: false, refused: true }),
    ]);
  });
});

describe('Codex’s hook', () => {
  const ask = (tool_input: unknown) => codex.hook?.readAsk({ tool_name: 'apply_patch', tool_input });

  test('names every file of the patch', () => {
    const command = [
      '*** Begin Patch',
      '*** Add File: new.txt',
      '+*** not a header',
      '*** Update File: src/a b.ts',
      '*** Move to: src/c.ts',
      '@@',
      '-x',
      '  *** Delete File: old.txt  ',
      '*** End Patch',
    ].join('\n');
    expect(ask({ command })).toEqual({
      tool: 'apply_patch',
      paths: ['new.txt', 'src/a b.ts', 'src/c.ts', 'old.txt'],
      edit: { patch: command },
    });
  });

  test('E-6: a patch handed to its shell is asked about where it lands; another command is not', () => {
    const shell = (command: string, cwd = '/w') =>
      codex.hook?.readAsk({ cwd, tool_name: 'Bash', tool_input: { command } });
    const heredoc = `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.txt\n+x\n*** End Patch\nEOF`;
    const asked = (...paths: string[]) => ({
      tool: 'Bash',
      paths,
      edit: { patch: expect.stringContaining('+x') },
    });
    expect(shell(heredoc)).toEqual(asked('/w/new.txt'));
    expect(shell(heredoc, '/w/sub')).toEqual(asked('/w/sub/new.txt'));
    expect(shell(`cd 'a b' && ${heredoc}`, '/w/sub')).toEqual(asked('/w/sub/a b/new.txt'));
    expect(shell(`cd ../lib&&${heredoc.replace('apply_patch', 'applypatch')}`, '/w/sub')).toEqual(
      asked('/w/lib/new.txt'),
    );
    expect(shell(`cd /w/lib && ${heredoc.replace('new', '../new')}`)).toEqual(asked('/w/new.txt'));
    expect(shell(heredoc.replace('new.txt', '/etc/new.txt'))).toEqual(asked('/etc/new.txt'));
    for (const command of ['npm test', 'echo x > new.txt', 'grep -r apply_patch .', 'cat notes.patch', ''])
      expect(shell(command)).toBeUndefined();
    expect(codex.hook?.readAsk({ tool_name: 'Bash', tool_input: {} })).toEqual(expect.any(String));
  });

  test('its directory is where the paths of a patch begin', () => {
    const command = '*** Begin Patch\n*** Delete File: ../old.txt\n*** End Patch';
    const input = { cwd: '/w/sub', tool_name: 'apply_patch', tool_input: { command } };
    expect(codex.hook?.readAsk(input)).toMatchObject({ tool: 'apply_patch', paths: ['/w/old.txt'] });
    const edit = { cwd: '/w/sub', tool_name: 'Edit', tool_input: { file_path: 'a.ts' } };
    expect(codex.hook?.readAsk(edit)).toEqual({ tool: 'Edit', path: '/w/sub/a.ts' });
  });

  test('what cannot be read is refused', () => {
    for (const input of [{}, { command: 'echo hi' }, { command: 7 }, undefined]) {
      expect(ask(input)).toEqual(expect.any(String));
    }
    expect(codex.hook?.readAsk('x')).toEqual(expect.any(String));
  });

  test('a refusal blocks and says why', () => {
    expect(codex.hook?.answer({ decision: 'allow', reason: '' }).exitCode).toBe(0);
    expect(codex.hook?.answer({ decision: 'deny', reason: 'no' })).toMatchObject({
      stderr: 'no\n',
      exitCode: 2,
    });
  });
});

test('cost_exceeds: tokens read from the cache are told apart', () => {
  const usage = { input_tokens: 100, cached_input_tokens: 90, output_tokens: 5 };
  expect(codex.createReader().read(JSON.stringify({ type: 'turn.completed', usage }))).toContainEqual({
    type: 'usage',
    scope: 'session',
    input_tokens: 100,
    output_tokens: 5,
    cached_tokens: 90,
  });
});
