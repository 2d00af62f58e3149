import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { claude } from '../../src/agents/claude.ts';
import { waitFor } from '../runner/supervised-fixture.ts';
import { makeTemporaryDirectory, makeWorktree } from '../runner/temporary-worktree.ts';
import { endOf, PATIENCE_MS, startTurn, type TurnOptions, textOf } from './agent-turn.ts';
import { installedCli } from './installed-cli.ts';
import { anthropicMessages } from './model-servers/anthropic-messages.ts';
import { type ModelAnswer, serveModel } from './model-servers/scripted-model.ts';

const programs = installedCli('claude');

const HELP = 'I am stuck.\n<<<NEED_HELP>>>\nwhat_i_tried: all\nwhat_i_need: the key\n<<<END_HELP>>>\n';

/** A bare `sleep` of some length is refused. */
const WAIT = (ms: number) => `node -e 'setTimeout(() => {}, ${ms})'`;

async function prepare(answers: ModelAnswer[]) {
  const { worktree } = makeWorktree({ 'a.txt': 'a\n' });
  const model = await serveModel(anthropicMessages, () => worktree, answers);
  const home = makeTemporaryDirectory();
  const env = {
    PATH: `${programs}:${process.env.PATH}`,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'scripted',
  };
  const base = { agent: claude, worktree, home, env };
  return {
    worktree,
    home,
    model,
    path: (name: string) => join(worktree, name),
    start: (options: Partial<TurnOptions> = {}) => startTurn({ ...base, ...options }),
  };
}

test('help, an answer in the resumed session, done; each turn costs what it cost', async () => {
  const { start, path, model } = await prepare([
    { text: 'I write.', call: { write: 'b.txt', content: 'b\n' } },
    { text: 'I check.', call: { run: 'exit 3' } },
    { text: HELP },
    { text: 'Thanks.', call: { write: 'c.txt', content: 'c\n' } },
    { text: 'All done.' },
  ]);
  const first = await start();
  const events = await first.finished();
  expect(textOf(events)).toContain(HELP);
  expect(endOf(events)).toEqual({ type: 'ended', ok: true, reason: 'done' });
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool_ended', ok: false, exit_code: 3 }));
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tool_started', kind: 'edit', paths: [path('b.txt')] }),
  );
  expect(first.asks).toEqual([{ path: path('b.txt'), tool: 'Write' }]);
  const figures = (all: typeof events) => all.findLast((event) => event.type === 'usage');
  expect(figures(events)).toMatchObject({ scope: 'run', input_tokens: 3000, output_tokens: 150 });

  const { id: session } = await first.event('session');
  const second = await (await start({ session, prompt: 'The key is 7.' })).finished();
  expect(textOf(second)).toBe('Thanks.\nAll done.\n');
  expect(figures(second)).toMatchObject({ scope: 'run', input_tokens: 2000, output_tokens: 100 });
  expect(JSON.stringify(model.requests.at(-1))).toContain('The key is 7.');
  expect(readFileSync(path('c.txt'), 'utf8')).toBe('c\n');
});

test('what is said mid-turn reaches the next request, and after the end another turn', async () => {
  const { start, model } = await prepare([
    { text: 'I look.', call: { run: WAIT(2_000) } },
    { text: 'First end.' },
    { text: 'Second end.' },
  ]);
  const turn = await start({ stayOpen: true });
  await turn.event('tool_started');
  turn.supervised.write(claude.say?.('Use the other key.') ?? '');
  await turn.event('ended');
  expect(JSON.stringify(model.requests[1])).toContain('Use the other key.');
  turn.supervised.write(claude.say?.('One thing more.') ?? '');
  turn.supervised.closeStdin();
  const events = await turn.finished();
  expect(textOf(events)).toBe('I look.\nFirst end.\nSecond end.\n');
  expect(events.filter(({ type }) => type === 'ended')).toHaveLength(2);
});

test('an edit is held until it is allowed; a refused one does not happen', async () => {
  const { start, path } = await prepare([
    { call: { write: 'held.txt', content: 'x\n' } },
    { call: { write: 'refused.txt', content: 'x\n' } },
    { text: 'Done.' },
  ]);
  const held = Promise.withResolvers<void>();
  const turn = await start({
    async decide(ask) {
      if (ask.path?.endsWith('refused.txt')) return { decision: 'deny', reason: 'out of scope: ask first' };
      await held.promise;
      return { decision: 'allow', reason: 'approved' };
    },
  });
  await turn.event('tool_started');
  await waitFor('the ask', () => turn.asks.length === 1, PATIENCE_MS);
  expect(existsSync(path('held.txt'))).toBe(false);
  held.resolve();
  const events = await turn.finished();
  expect(existsSync(path('held.txt'))).toBe(true);
  expect(existsSync(path('refused.txt'))).toBe(false);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'tool_ended',
      refused: true,
      output: expect.stringContaining('out of scope: ask first'),
    }),
  );
});

test('a hook that is missing, and a worktree that turns hooks off, let nothing through', async () => {
  const { start, path, worktree } = await prepare([
    { call: { write: 'b.txt', content: 'b\n' } },
    { text: 'Done.' },
  ]);
  mkdirSync(join(worktree, '.claude'));
  writeFileSync(join(worktree, '.claude/settings.json'), '{"disableAllHooks":true}');
  const events = await (await start({ hook: ['/nonexistent/hook'] })).finished();
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool_ended', refused: true }));
  expect(existsSync(path('b.txt'))).toBe(false);
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
  const { start, home, model } = await prepare([
    { text: 'I run.', call: { run: WAIT(60_000) } },
    // The call that was cut off may be answered for in the history, by words of its own.
    { text: 'I go on.' },
    { text: 'I go on.' },
  ]);
  const turn = await start();
  const { id: session } = await turn.event('session');
  await turn.event('tool_started');
  const files = () => globSync(claude.sessionFiles?.(session) ?? [], { cwd: home });
  // Its file is written a moment after its words.
  await waitFor('the call in the session', () =>
    files().some((file) => readFileSync(join(home, file), 'utf8').includes('setTimeout')),
  );
  await turn.supervised.kill({ graceMs: 0 });
  expect(endOf(await turn.finished())).toMatchObject({ ok: false, reason: 'interrupted' });

  const otherHome = makeTemporaryDirectory();
  for (const file of files()) {
    mkdirSync(dirname(join(otherHome, file)), { recursive: true });
    cpSync(join(home, file), join(otherHome, file), { recursive: true });
  }
  const other = makeWorktree({ 'a.txt': 'a\n' });
  const events = await (
    await start({ session, worktree: other.worktree, home: otherHome, prompt: 'Go on.' })
  ).finished();
  expect(events).toContainEqual({ type: 'session', id: session });
  expect(textOf(events)).toBe('I go on.\n');
  expect(JSON.stringify(model.requests.at(-1))).toContain('I run.');
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
  expect(model.requests.length).toBeGreaterThan(1);
  expect(textOf(events)).toContain('A long answer');
});

test.for([
  [401, 'authentication_error', 'invalid x-api-key', 'auth'],
  [400, 'invalid_request_error', 'Your credit balance is too low to access the API', 'quota'],
  [400, 'invalid_request_error', 'messages: something is wrong', 'api_error'],
] as const)('an API error %s %s (%s) ends the turn as %s', async ([status, type, message, reason]) => {
  const { start } = await prepare([{ refuse: { status, type, message } }]);
  const events = await (await start()).finished();
  expect(endOf(events)).toMatchObject({ ok: false, reason });
});

test('its own limit of turns ends as max_turns', async () => {
  const { start } = await prepare([{ text: 'I run.', call: { run: 'true' } }, { text: 'Done.' }]);
  const events = await (await start({ extraArgs: ['--max-turns', '1'] })).finished();
  expect(endOf(events)).toMatchObject({ ok: false, reason: 'max_turns' });
});
