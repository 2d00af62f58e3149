import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { caseOf } from './agent-cases.ts';
import { endOf } from './agent-turn.ts';
import { prepareAgent } from './prepare-agent.ts';
import { prepareRun } from './run-case.ts';
import { DONE, expectDone, FINISH, guardsOf } from './run-words.ts';

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

test('E-6: its settings are rewritten at its start, and that is neither work nor an offence', async () => {
  const settings = '{"autoupdate": false}\n';
  const { start, at } = await prepareAgent(caseOf('opencode'), [DONE], { 'opencode.json': settings });
  await (await start()).finished();
  expect(readFileSync(at('opencode.json'), 'utf8')).toContain('$schema');

  const task = '# Write a file\n\nOne.\n\n## Scope\n\n- done.txt\n';
  const run = await prepareRun(caseOf('opencode'), [FINISH, DONE], { task });
  run.scratch.write('opencode.json', settings);
  const done = await run.run();
  expectDone(done, run);
  expect(guardsOf(done)).toEqual([]);
  expect(run.scratch.read('opencode.json')).toBe(settings);
});
