import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { copilot } from '../../src/agents/copilot.ts';
import type { GateAnswer } from '../../src/core/gate.ts';
import { waitFor } from '../runner/supervised-fixture.ts';
import { endOf, PATIENCE_MS, textOf } from './agent-turn.ts';
import { cliEnvironment } from './cli-programs.ts';
import { serveOpenAiChat } from './model-servers/openai-chat.ts';
import type { ModelTurn } from './model-servers/play-script.ts';
import { HELP, LONG_TEXT, prepareAgent } from './prepare-agent.ts';

const cli = cliEnvironment('copilot');

const prepare = (turns: ModelTurn[] | ((at: (name: string) => string) => ModelTurn[])) =>
  prepareAgent({
    agent: copilot,
    serve: serveOpenAiChat,
    environment: (model) => ({
      ...cli,
      // Long: whatever it is, it is blotted out of everything the CLI prints.
      COPILOT_PROVIDER_API_KEY: 'scripted-key-0123456789',
      COPILOT_PROVIDER_BASE_URL: `${model.url}/v1`,
      COPILOT_MODEL: 'gpt-5.5',
    }),
    turns,
  });

const write = (path: string) => ({
  name: 'apply_patch',
  input: { input: `*** Begin Patch\n*** Add File: ${path}\n+written\n*** End Patch\n` },
});
const run = (command: string) => ({ name: 'bash', input: { command, description: 'a command' } });

test('help, an answer in the resumed session, done; tokens are counted over both', async () => {
  const { start, at, home } = await prepare([
    { text: 'I write.', calls: [write('b.txt')] },
    { text: 'I check.', calls: [run('echo all is lost; exit 3')] },
    { text: HELP },
    { text: 'Thanks.', calls: [write('c.txt')] },
    { text: 'All done.' },
  ]);
  const figures = () => copilot.usageFile?.read(readFileSync(join(home, copilot.usageFile.path), 'utf8'));
  const first = await start();
  const events = await first.finished();
  expect(textOf(events)).toContain(`\n${HELP}`);
  expect(endOf(events)).toEqual({ type: 'ended', ok: true, reason: 'done' });
  expect(first.asks).toEqual([{ paths: ['b.txt'], tool: 'apply_patch' }]);
  expect(events.filter(({ type }) => type === 'tool_started')).toMatchObject([
    { kind: 'edit', paths: ['b.txt'] },
    { kind: 'command', command: 'echo all is lost; exit 3' },
  ]);
  expect(events.filter(({ type }) => type === 'tool_ended')).toMatchObject([
    { ok: true, refused: false, paths: [at('b.txt')] },
    { ok: false, exit_code: 3, output: 'all is lost', refused: false },
  ]);
  const usage = { type: 'usage', scope: 'session' };
  expect(figures()).toEqual({ ...usage, input_tokens: 3000, output_tokens: 150 });

  const { id } = await first.event('session');
  const second = await start({ session: id, prompt: 'The key is 42.' });
  const more = await second.finished();
  expect(more).toContainEqual({ type: 'session', id });
  expect(textOf(more)).toBe('Thanks.\nAll done.\n');
  expect(existsSync(at('c.txt'))).toBe(true);
  expect(figures()).toEqual({ ...usage, input_tokens: 5000, output_tokens: 250 });
});

test('an edit is held until it is released, and not made when it is refused', async () => {
  const { start, at } = await prepare([
    { calls: [write('b.txt')] },
    { calls: [write('c.txt')] },
    { text: 'All done.' },
  ]);
  const { promise, resolve: release } = Promise.withResolvers<GateAnswer>();
  const turn = await start({
    decide: async ({ paths }) =>
      paths?.[0] === 'b.txt' ? promise : { decision: 'deny', reason: 'one file is enough' },
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
  const { start, at } = await prepare([{ calls: [write('b.txt')] }, { text: 'All done.' }]);
  const turn = await start({ hook });
  const events = await turn.finished();
  expect(existsSync(at('b.txt'))).toBe(false);
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool_ended', ok: false, refused: true }));
});

test("the tools that edit are the ones the gate is asked about, also for another family's models", async () => {
  const { start, at, env, model } = await prepare((at) => [
    { calls: [{ name: 'create', input: { path: at('b.txt'), file_text: 'written\n' } }] },
    { calls: [{ name: 'edit', input: { path: at('b.txt'), old_str: 'written', new_str: 'more' } }] },
    { text: 'All done.' },
  ]);
  const turn = await start({ env: { ...env, COPILOT_MODEL: 'claude-sonnet-4.6' } });
  await turn.finished();
  expect(turn.asks).toEqual([
    { path: at('b.txt'), tool: 'create' },
    { path: at('b.txt'), tool: 'edit' },
  ]);
  expect(readFileSync(at('b.txt'), 'utf8')).toBe('more\n');
  const offered = (JSON.parse(model.lastRequest()) as { tools: { function: { name: string } }[] }).tools;
  expect(
    offered.map((tool) => tool.function.name).filter((name) => /edit|patch|create|insert|replace/.test(name)),
  ).toEqual(['create', 'edit']);
});

test('frozen for 5 s in the middle of its words, it goes on', async () => {
  const { start, model } = await prepare([
    { text: LONG_TEXT, pieceMs: 200, calls: [write('b.txt')] },
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
  const { start, at, home, moveAway } = await prepare([
    { text: 'I wait.', calls: [run('echo started > started.txt; sleep 60')] },
    { text: 'I go on.' },
  ]);
  const turn = await start();
  await waitFor('the command', () => existsSync(at('started.txt')), PATIENCE_MS);
  const state = join(home, 'copilot/session-state');
  const [id = ''] = readdirSync(state).filter((name) => !name.startsWith('.'));
  const journal = join(state, id, 'events.jsonl');
  // It writes its journal a moment later.
  const kept = () => existsSync(journal) && readFileSync(journal, 'utf8').includes('tool.execution_start');
  await waitFor('the journal', kept, PATIENCE_MS);
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
  const turn = await start({ session: '11111111-2222-4333-8444-555555555555' });
  expect(endOf(await turn.finished())).toMatchObject({ ok: false, reason: 'no_session' });
});

test('without a key and a provider it says so', async () => {
  const { start, env } = await prepare([]);
  const { COPILOT_PROVIDER_API_KEY: _key, COPILOT_PROVIDER_BASE_URL: _url, ...without } = env;
  const turn = await start({ env: without });
  expect(endOf(await turn.finished())).toMatchObject({ ok: false, reason: 'auth' });
});
