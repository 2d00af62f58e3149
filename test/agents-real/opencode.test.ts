import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { opencode } from '../../src/agents/opencode.ts';
import type { GateAnswer } from '../../src/core/gate.ts';
import { waitFor } from '../runner/supervised-fixture.ts';
import { endOf, PATIENCE_MS, textOf } from './agent-turn.ts';
import { cliEnvironment } from './cli-programs.ts';
import { serveOpenAiChat } from './model-servers/openai-chat.ts';
import type { ModelServer, ModelTurn } from './model-servers/play-script.ts';
import { HELP, LONG_TEXT, prepareAgent } from './prepare-agent.ts';

const cli = cliEnvironment('opencode');

/** A provider of one's own, as a user would configure it. */
function writeConfig(model: ModelServer, home: string): string {
  const file = join(home, 'provider.json');
  const scripted = {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: `${model.url}/v1`, apiKey: 'scripted-key' },
    models: { scripted: { limit: { context: 100_000, output: 8_000 }, cost: { input: 3, output: 15 } } },
  };
  writeFileSync(
    file,
    JSON.stringify({
      model: 'scripted/scripted',
      small_model: 'scripted/scripted',
      provider: { scripted },
    }),
  );
  return file;
}

const prepare = (
  turns: ModelTurn[] | ((at: (name: string) => string) => ModelTurn[]),
  files?: Record<string, string>,
) =>
  prepareAgent({
    agent: opencode,
    serve: serveOpenAiChat,
    environment: (model, home) => ({ ...cli, OPENCODE_CONFIG: writeConfig(model, home) }),
    turns,
    files,
  });

const write = (path: string) => ({ name: 'write', input: { filePath: path, content: 'written\n' } });
const run = (command: string) => ({ name: 'bash', input: { command, description: 'a command' } });

test('help, an answer in the resumed session, done; tools are told when they start, tokens and dollars by step', async () => {
  const { start, at } = await prepare((at) => [
    { text: 'I write.', calls: [write(at('b.txt'))] },
    { text: 'I check.', calls: [run('echo all is lost; exit 3')] },
    { text: HELP },
    { text: 'Thanks.', calls: [write(at('c.txt'))] },
    { text: 'All done.' },
  ]);
  const first = await start();
  const events = await first.finished();
  expect(textOf(events)).toContain(`\n${HELP}`);
  expect(endOf(events)).toEqual({ type: 'ended', ok: true, reason: 'done' });
  expect(first.asks).toEqual([{ path: at('b.txt'), tool: 'write' }]);
  expect(events.filter(({ type }) => type === 'tool_started')).toMatchObject([
    { kind: 'edit', paths: [at('b.txt')] },
    { kind: 'command', command: 'echo all is lost; exit 3' },
  ]);
  expect(events.filter(({ type }) => type === 'tool_ended')).toMatchObject([
    { ok: true, refused: false, paths: [at('b.txt')] },
    { ok: false, exit_code: 3, output: 'all is lost\n', refused: false },
  ]);
  const step = { type: 'usage', scope: 'step', input_tokens: 1000, output_tokens: 50 };
  expect(events.filter(({ type }) => type === 'usage')).toEqual([
    { ...step, cost_usd: expect.closeTo(0.00375) },
    { ...step, cost_usd: expect.closeTo(0.00375) },
    { ...step, cost_usd: expect.closeTo(0.00375) },
  ]);

  const { id } = await first.event('session');
  const second = await start({ session: id, prompt: 'The key is 42.' });
  const more = await second.finished();
  expect(more).toContainEqual({ type: 'session', id });
  expect(textOf(more)).toBe('Thanks.\nAll done.\n');
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
  ['not configured', []],
  ['silent', ['true']],
  ['failing', ['false']],
])('a hook that is %s refuses', async (_, hook) => {
  const { start, at } = await prepare((at) => [{ calls: [write(at('b.txt'))] }, { text: 'All done.' }]);
  const turn = await start({ hook });
  const events = await turn.finished();
  expect(existsSync(at('b.txt'))).toBe(false);
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool_ended', ok: false, refused: true }));
});

test('without its plugin it edits nothing', async () => {
  const { start, at } = await prepare((at) => [{ calls: [write(at('b.txt'))] }, { text: 'All done.' }]);
  const turn = await start({ extraArgs: ['--pure'] });
  expect(endOf(await turn.finished())).toMatchObject({ ok: true });
  expect(turn.asks).toEqual([]);
  expect(existsSync(at('b.txt'))).toBe(false);
});

test('frozen for 5 s in the middle of its words, it goes on', async () => {
  const { start, model } = await prepare((at) => [
    { text: LONG_TEXT, pieceMs: 200, calls: [write(at('b.txt'))] },
    { text: 'All done.' },
  ]);
  const turn = await start();
  await waitFor('the model to be asked', () => model.asked[0] === 1, PATIENCE_MS);
  await turn.supervised.freeze();
  const before = turn.events.length;
  await sleep(5_000);
  expect(turn.events.length).toBe(before);
  await turn.supervised.thaw();
  const events = await turn.finished();
  expect(textOf(events)).toContain(LONG_TEXT);
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

test('a stream cut by the model is tried again, which is told', async () => {
  const { start } = await prepare([{ text: LONG_TEXT, pieceMs: 20, cutAfter: 3 }]);
  const turn = await start();
  const events = await turn.finished();
  expect(events.filter(({ type }) => type === 'retry')).not.toEqual([]);
  expect(textOf(events)).toBe(`${LONG_TEXT}\n`);
  expect(endOf(events)).toMatchObject({ ok: true });
});

test.each([
  [400, 'the request is bad', 'api_error'],
  [401, 'Incorrect API key provided', 'auth'],
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
  const turn = await start({ session: 'ses_e1e531ed5fferxfDVE590kZpZc' });
  expect(endOf(await turn.finished())).toMatchObject({ ok: false, reason: 'no_session' });
});
