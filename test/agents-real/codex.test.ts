import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { codex } from '../../src/agents/codex.ts';
import { waitFor } from '../runner/supervised-fixture.ts';
import { makeTemporaryDirectory, makeWorktree } from '../runner/temporary-worktree.ts';
import { endOf, PATIENCE_MS, startTurn, type TurnOptions, textOf } from './agent-turn.ts';
import { installedCli } from './installed-cli.ts';
import { openaiResponses } from './model-servers/openai-responses.ts';
import { type ModelAnswer, serveModel } from './model-servers/scripted-model.ts';

const programs = installedCli('codex');

const HELP = 'I am stuck.\n<<<NEED_HELP>>>\nwhat_i_tried: all\nwhat_i_need: the key\n<<<END_HELP>>>\n';

async function prepare(answers: ModelAnswer[]) {
  const { worktree } = makeWorktree({ 'a.txt': 'a\n' });
  const model = await serveModel(openaiResponses, () => worktree, answers);
  const home = makeTemporaryDirectory();
  const env = {
    PATH: `${dirname(process.execPath)}:${programs}:${process.env.PATH}`,
    OPENAI_BASE_URL: `${model.url}/v1`,
    OPENAI_API_KEY: 'scripted',
  };
  const base = { agent: codex, worktree, home, env };
  return {
    worktree,
    home,
    model,
    path: (name: string) => join(worktree, name),
    start: (options: Partial<TurnOptions> = {}) => startTurn({ ...base, ...options }),
  };
}

test('help, an answer in the resumed session, done; tokens are counted over both', async () => {
  const { start, path, model } = await prepare([
    { text: 'I write.', call: { write: 'b.txt', content: 'b\n' } },
    { text: 'I check.', call: { run: "node -e 'process.exit(3)' # it's a check" } },
    { text: HELP },
    { text: 'Thanks.', call: { write: 'c.txt', content: 'c\n' } },
    { text: 'All done.' },
  ]);
  const first = await start();
  const events = await first.finished();
  expect(textOf(events)).toContain(HELP);
  expect(endOf(events)).toEqual({ type: 'ended', ok: true, reason: 'done' });
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'tool_started',
      kind: 'command',
      command: "node -e 'process.exit(3)' # it's a check",
    }),
  );
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool_ended', ok: false, exit_code: 3 }));
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tool_started', kind: 'edit', paths: [path('b.txt')] }),
  );
  expect(first.asks).toEqual([{ paths: ['b.txt'], tool: 'apply_patch' }]);
  const figures = (all: typeof events) => all.findLast((event) => event.type === 'usage');
  expect(figures(events)).toMatchObject({ scope: 'session', input_tokens: 3000, output_tokens: 150 });

  const { id: session } = await first.event('session');
  const second = await (await start({ session, prompt: 'The key is 7.' })).finished();
  expect(textOf(second)).toBe('Thanks.\nAll done.\n');
  expect(figures(second)).toMatchObject({ scope: 'session', input_tokens: 5000, output_tokens: 250 });
  expect(JSON.stringify(model.requests.at(-1))).toContain('The key is 7.');
  expect(readFileSync(path('c.txt'), 'utf8')).toBe('c\n');
});

test('an edit is held until it is allowed; a refused one does not happen, and the model is told why', async () => {
  const { start, path, model } = await prepare([
    { call: { write: 'held.txt', content: 'x\n' } },
    { call: { write: 'refused.txt', content: 'x\n' } },
    { text: 'Done.' },
  ]);
  const held = Promise.withResolvers<void>();
  const turn = await start({
    async decide(ask) {
      if (ask.paths?.includes('refused.txt')) return { decision: 'deny', reason: 'out of scope: ask first' };
      await held.promise;
      return { decision: 'allow', reason: 'approved' };
    },
  });
  await waitFor('the ask', () => turn.asks.length === 1, PATIENCE_MS);
  expect(existsSync(path('held.txt'))).toBe(false);
  held.resolve();
  const events = await turn.finished();
  expect(existsSync(path('held.txt'))).toBe(true);
  expect(existsSync(path('refused.txt'))).toBe(false);
  // A refused edit is not in the stream at all: the gate knows of it.
  expect(events.filter((event) => event.type === 'tool_started')).toHaveLength(1);
  expect(JSON.stringify(model.requests.at(-1))).toContain('out of scope: ask first');
});

test('a hook that is missing, and a worktree that turns hooks off, let nothing through', async () => {
  const { start, path, worktree } = await prepare([
    { call: { write: 'b.txt', content: 'b\n' } },
    { text: 'Done.' },
  ]);
  mkdirSync(join(worktree, '.codex'));
  writeFileSync(join(worktree, '.codex/config.toml'), '[features]\nhooks = false\n');
  const events = await (await start({ hook: ['/nonexistent/hook'] })).finished();
  expect(endOf(events)).toMatchObject({ ok: true });
  expect(existsSync(path('b.txt'))).toBe(false);
});

test('its shell does not see the key', async () => {
  const { start } = await prepare([{ call: { run: 'env | grep -c API_KEY' } }, { text: 'Done.' }]);
  const events = await (await start()).finished();
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool_ended', exit_code: 1, output: '0\n' }));
});

test('frozen for five seconds in the middle of an answer, it goes on', async () => {
  const { start, path, model } = await prepare([
    {
      text: 'Thinking aloud, for quite a while. '.repeat(6),
      slowly: 150,
      call: { write: 'b.txt', content: 'b\n' },
    },
    { text: 'Done.' },
  ]);
  const turn = await start();
  await waitFor('the request', () => model.requests.length === 1, PATIENCE_MS);
  await turn.supervised.freeze();
  const before = turn.events.length;
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  expect(turn.events).toHaveLength(before);
  await turn.supervised.thaw();
  const events = await turn.finished();
  expect(endOf(events)).toMatchObject({ ok: true });
  expect(existsSync(path('b.txt'))).toBe(true);
});

test('killed in the middle of a command, its session is resumed at another path from its session files alone', async () => {
  const { start, home, worktree } = await prepare([
    { text: 'I run.', call: { run: "node -e 'setTimeout(() => {}, 60000)'" } },
    { text: 'I go on.', call: { write: 'b.txt', content: 'b\n' } },
    { text: 'Done.' },
  ]);
  const turn = await start();
  const { id: session } = await turn.event('session');
  await turn.event('tool_started');
  await turn.supervised.kill({ graceMs: 0 });
  expect(endOf(await turn.finished())).toMatchObject({ ok: false, reason: 'interrupted' });

  const otherHome = makeTemporaryDirectory();
  for (const file of globSync(codex.sessionFiles?.(session) ?? [], { cwd: home })) {
    mkdirSync(dirname(join(otherHome, file)), { recursive: true });
    cpSync(join(home, file), join(otherHome, file));
  }
  rmSync(home, { recursive: true });
  rmSync(worktree, { recursive: true });
  const other = makeWorktree({ 'a.txt': 'a\n' });
  const events = await (
    await start({ session, worktree: other.worktree, home: otherHome, prompt: 'Go on.' })
  ).finished();
  expect(events).toContainEqual({ type: 'session', id: session });
  expect(textOf(events)).toBe('I go on.\nDone.\n');
  expect(other.read('b.txt')).toBe('b\n');
});

test('a conversation that is not there is told as such', async () => {
  const { start } = await prepare([{ text: 'Done.' }]);
  const events = await (await start({ session: randomUUID() })).finished();
  expect(endOf(events)).toMatchObject({ ok: false, reason: 'no_session' });
});

test('K-2: a stream that is cut is tried again by itself', async () => {
  const { start, model } = await prepare([{ text: 'A long answer that is cut. '.repeat(4), cut: true }]);
  const events = await (await start()).finished();
  expect(endOf(events)).toMatchObject({ ok: true });
  expect(model.requests).toHaveLength(2);
});

test.for([
  [401, 'invalid_api_key', 'Incorrect API key provided: scripted', 'auth'],
  [429, 'insufficient_quota', 'You exceeded your current quota, please check your plan', 'quota'],
  [400, 'invalid_request_error', 'something is wrong', 'api_error'],
] as const)('an API error %s %s (%s) ends the turn as %s', async ([status, type, message, reason]) => {
  const { start } = await prepare([{ refuse: { status, type, message } }]);
  const events = await (await start()).finished();
  expect(endOf(events)).toMatchObject({ ok: false, reason });
});
