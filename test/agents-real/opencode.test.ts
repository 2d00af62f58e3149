import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { caseOf } from './agent-cases.ts';
import { endOf } from './agent-turn.ts';
import { prepareAgent } from './prepare-agent.ts';

test.each([
  ['without its plugin', { extraArgs: ['--pure'] }],
  ['without a hook', { hook: [] }],
])('%s it edits nothing', async (_, options) => {
  const { start, at } = await prepareAgent(caseOf('opencode'), [{ write: 'b.txt' }, { text: 'All done.' }]);
  const turn = await start(options);
  expect(endOf(await turn.finished())).toMatchObject({ ok: true });
  expect(turn.asks).toEqual([]);
  expect(existsSync(at('b.txt'))).toBe(false);
});
