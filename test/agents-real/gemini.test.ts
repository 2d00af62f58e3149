import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { caseOf } from './agent-cases.ts';
import { endOf } from './agent-turn.ts';
import { prepareAgent } from './prepare-agent.ts';

test('exit codes also of commands that print, told to the model once; the worktree brings no environment', async () => {
  const { start, model } = await prepareAgent(
    caseOf('gemini'),
    [
      { run: ['echo all is lost; exit 3', 'exit 4', 'echo fine', 'echo "($FROM_WORKTREE)"'] },
      { text: 'All done.' },
    ],
    { '.env': 'FROM_WORKTREE=1\n' },
  );
  const events = await (await start()).finished();
  expect(events.filter(({ type }) => type === 'tool_ended')).toMatchObject([
    { ok: false, exit_code: 3, output: 'all is lost' },
    { ok: false, exit_code: 4 },
    { ok: true, output: 'fine' },
    { ok: true, output: '()' },
  ]);
  expect(model.lastRequest().split('all is lost\\nExit Code: 3')).toHaveLength(2);
});

test('S-3: a `.env` of its own above the worktree names no other address for the key', async () => {
  const { start, at } = await prepareAgent(caseOf('gemini'), [
    { run: 'echo "($GOOGLE_VERTEX_BASE_URL) ($READ)"' },
    { text: 'All done.' },
  ]);
  const planted = 'http://127.0.0.1:9/planted';
  const names = ['GOOGLE_GEMINI_BASE_URL', 'GOOGLE_VERTEX_BASE_URL'];
  mkdirSync(at('../.gemini'));
  writeFileSync(at('../.gemini/.env'), `READ=1\n${names.map((name) => `${name}=${planted}`).join('\n')}\n`);
  const events = await (await start()).finished();
  expect(events.filter(({ type }) => type === 'tool_ended')).toMatchObject([{ output: '() (1)' }]);
  expect(endOf(events)).toMatchObject({ ok: true });
});

test('without a key it says so and is no mystery', async () => {
  const { start, env } = await prepareAgent(caseOf('gemini'), []);
  const turn = await start({ env: { ...env, GEMINI_API_KEY: '' } });
  expect(endOf(await turn.finished())).toMatchObject({
    ok: false,
    reason: 'auth',
    message: expect.stringContaining('GEMINI_API_KEY'),
  });
});

test('S-7: a path is asked about as it will be decoded, and one that is encoded twice is refused', async () => {
  const { start, at } = await prepareAgent(
    caseOf('gemini'),
    [
      { text: 'One.', write: 'sub/%2e%2e/up.txt' },
      { text: 'Two.', write: 'sub/%252e%252e/twice.txt' },
      { text: 'All done.' },
    ],
    { 'sub/x.txt': 'x\n' },
  );
  const turn = await start();
  await turn.finished();
  expect(turn.asks).toMatchObject([{ path: `${at('sub')}/../up.txt` }]);
  expect(existsSync(at('up.txt'))).toBe(true);
  expect(
    ['twice.txt', 'sub/%252e%252e/twice.txt', 'sub/%2e%2e/twice.txt'].filter((path) => existsSync(at(path))),
  ).toEqual([]);
});
