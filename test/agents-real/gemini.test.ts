import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { gemini } from '../../src/agents/gemini.ts';
import type { GateAnswer } from '../../src/core/gate.ts';
import { waitFor } from '../runner/supervised-fixture.ts';
import { endOf, PATIENCE_MS, textOf } from './agent-turn.ts';
import { cliEnvironment } from './cli-programs.ts';
import { serveGemini } from './model-servers/gemini.ts';
import type { ModelTurn } from './model-servers/play-script.ts';
import { HELP, LONG_TEXT, prepareAgent } from './prepare-agent.ts';

const cli = cliEnvironment('gemini');

const prepare = (
  turns: ModelTurn[] | ((at: (name: string) => string) => ModelTurn[]),
  files?: Record<string, string>,
) =>
  prepareAgent({
    agent: gemini,
    serve: serveGemini,
    environment: (model) => ({
      ...cli,
      GEMINI_API_KEY: 'scripted-key',
      GEMINI_MODEL: 'gemini-2.5-pro',
      GOOGLE_GEMINI_BASE_URL: model.url,
    }),
    turns,
    files,
  });

const write = (path: string) => ({ name: 'write_file', input: { file_path: path, content: 'written\n' } });
const run = (command: string) => ({ name: 'run_shell_command', input: { command } });

test('help, an answer in the resumed session, done; exit codes also of commands that print', async () => {
  const { start, at, model } = await prepare((at) => [
    { text: 'I write.', calls: [write(at('b.txt'))] },
    { text: 'I check.', calls: [run('echo all is lost; exit 3'), run('exit 4'), run('echo fine')] },
    { text: HELP },
    { text: 'Thanks.', calls: [write(at('c.txt'))] },
    { text: 'All done.' },
  ]);
  const first = await start();
  const events = await first.finished();
  expect(textOf(events)).toContain(`\n${HELP}`);
  expect(endOf(events)).toEqual({ type: 'ended', ok: true, reason: 'done' });
  expect(first.asks).toEqual([{ path: at('b.txt'), tool: 'write_file' }]);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tool_started', kind: 'edit', paths: [at('b.txt')] }),
  );
  expect(events.filter(({ type }) => type === 'tool_ended')).toMatchObject([
    { ok: true, refused: false },
    { ok: false, exit_code: 3, output: 'all is lost', refused: false },
    { ok: false, exit_code: 4 },
    { ok: true, output: 'fine' },
  ]);
  // The model is told the same, once.
  expect(model.lastRequest()).toContain('all is lost\\nExit Code: 3');
  expect(events).toContainEqual({ type: 'usage', scope: 'run', input_tokens: 3000, output_tokens: 150 });

  const { id } = await first.event('session');
  const second = await start({ session: id, prompt: 'The key is 42.' });
  const more = await second.finished();
  expect(more).toContainEqual({ type: 'session', id });
  expect(textOf(more)).toBe('Thanks.\nAll done.\n');
  expect(more).toContainEqual({ type: 'usage', scope: 'run', input_tokens: 2000, output_tokens: 100 });
  expect(existsSync(at('c.txt'))).toBe(true);
});

test('an edit is held until it is released, and not made when it is refused', async () => {
  const { start, at } = await prepare((at) => [
    { calls: [write(at('b.txt'))] },
    { calls: [write(at('c.txt'))] },
    { text: 'All done.' },
  ]);
  const { promise, resolve: release } = Promise.withResolvers<GateAnswer>();
  const turn = await start({
    decide: async ({ path }) =>
      path === at('b.txt') ? promise : { decision: 'deny', reason: 'one file is enough' },
  });
  await waitFor('the ask', () => turn.asks.length === 1, PATIENCE_MS);
  await sleep(2_000);
  expect(existsSync(at('b.txt'))).toBe(false);
  release({ decision: 'allow', reason: 'go on' });
  const events = await turn.finished();
  expect(readFileSync(at('b.txt'), 'utf8')).toBe('written\n');
  expect(existsSync(at('c.txt'))).toBe(false);
  expect(events.filter(({ type }) => type === 'tool_ended')).toMatchObject([
    { ok: true, refused: false },
    { ok: false, refused: true, output: expect.stringContaining('one file is enough') },
  ]);
  expect(endOf(events)).toMatchObject({ ok: true });
});

test.each([
  ['missing', ['/nowhere/hook']],
  ['silent', ['true']],
  ['failing without a word', ['false']],
  ['killed', ['sh', '-c', 'kill -9 $$']],
])('a hook that is %s refuses', async (_, hook) => {
  const { start, at } = await prepare((at) => [{ calls: [write(at('b.txt'))] }, { text: 'All done.' }]);
  const turn = await start({ hook });
  const events = await turn.finished();
  expect(existsSync(at('b.txt'))).toBe(false);
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool_ended', ok: false, refused: true }));
});

test('frozen for 5 s in the middle of its words, it goes on', async () => {
  const { start } = await prepare((at) => [
    { text: LONG_TEXT, pieceMs: 200, calls: [write(at('b.txt'))] },
    { text: 'All done.' },
  ]);
  const turn = await start();
  await turn.event('text');
  await turn.supervised.freeze();
  const before = turn.events.length;
  await sleep(5_000);
  expect(turn.events.length).toBe(before);
  await turn.supervised.thaw();
  const events = await turn.finished();
  expect(textOf(events)).toBe(`${LONG_TEXT}\nAll done.\n`);
  expect(endOf(events)).toMatchObject({ ok: true });
});

test('killed in the middle of a command, it is resumed, also at another path', async () => {
  const { start, at, moveAway } = await prepare([
    { text: 'I wait.', calls: [run('echo started > started.txt; sleep 60')] },
    { text: 'I go on.' },
  ]);
  const turn = await start();
  await waitFor('the command', () => existsSync(at('started.txt')), PATIENCE_MS);
  const { id } = await turn.event('session');
  await turn.supervised.kill({ graceMs: 0 });
  expect(endOf(await turn.finished())).toMatchObject({ ok: false, reason: 'interrupted' });

  const moved = await moveAway(id);
  const second = await start({ ...moved, session: id, prompt: 'Go on.' });
  const events = await second.finished();
  expect(events).toContainEqual({ type: 'session', id });
  expect(textOf(events)).toBe('I go on.\n');
});

test('a stream cut by the model ends the turn as an API error, and the session goes on', async () => {
  const { start } = await prepare([{ calls: [run('true')] }, { text: LONG_TEXT, pieceMs: 20, cutAfter: 3 }]);
  const turn = await start();
  expect(endOf(await turn.finished())).toMatchObject({ ok: false, reason: 'api_error' });
  const { id } = await turn.event('session');
  const second = await start({ session: id, prompt: 'Go on.' });
  expect(endOf(await second.finished())).toMatchObject({ ok: true });
});

test.each([
  [400, 'the request is bad', 'api_error'],
  [400, 'API key not valid. Please pass a valid API key.', 'auth'],
  [429, 'You exceeded your current quota, please check your plan and billing details.', 'quota'],
])('HTTP %i (%s) ends the turn as %s, in the words of the provider', async (status, message, reason) => {
  const { start } = await prepare([{ status, message }]);
  const turn = await start();
  expect(endOf(await turn.finished())).toMatchObject({
    ok: false,
    reason,
    message: expect.stringContaining(message),
  });
});

test('a session that is not there is told as such', async () => {
  const { start } = await prepare([]);
  const turn = await start({ session: '11111111-2222-4333-8444-555555555555' });
  expect(endOf(await turn.finished())).toMatchObject({ ok: false, reason: 'no_session' });
});

test('settings in the worktree neither switch the gate off nor bring an environment', async () => {
  const { start, at } = await prepare(
    (at) => [{ calls: [write(at('b.txt')), run('echo "($FROM_WORKTREE)"')] }, { text: 'All done.' }],
    {
      '.gemini/settings.json': '{"hooksConfig":{"enabled":false}}',
      '.env': 'FROM_WORKTREE=1\n',
    },
  );
  const turn = await start();
  const events = await turn.finished();
  expect(turn.asks).toEqual([{ path: at('b.txt'), tool: 'write_file' }]);
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool_ended', output: '()' }));
});

test('without a key it says so and is no mystery', async () => {
  const { start, env } = await prepare([]);
  const turn = await start({ env: { ...env, GEMINI_API_KEY: '' } });
  expect(endOf(await turn.finished())).toMatchObject({
    ok: false,
    reason: 'auth',
    message: expect.stringContaining('GEMINI_API_KEY'),
  });
});
