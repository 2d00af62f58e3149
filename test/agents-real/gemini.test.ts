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

test('without a key it says so and is no mystery', async () => {
  const { start, env } = await prepareAgent(caseOf('gemini'), []);
  const turn = await start({ env: { ...env, GEMINI_API_KEY: '' } });
  expect(endOf(await turn.finished())).toMatchObject({
    ok: false,
    reason: 'auth',
    message: expect.stringContaining('GEMINI_API_KEY'),
  });
});
