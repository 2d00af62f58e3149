import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { caseOf } from './agent-cases.ts';
import { endOf } from './agent-turn.ts';
import { prepareAgent } from './prepare-agent.ts';

test("the tools that edit are the ones the gate is asked about, also for another family's models", async () => {
  const { start, at, env, model } = await prepareAgent(caseOf('copilot'), (at) => [
    { calls: [{ name: 'create', input: { path: at('b.txt'), file_text: 'written\n' } }] },
    { calls: [{ name: 'edit', input: { path: at('b.txt'), old_str: 'written', new_str: 'more' } }] },
    { text: 'All done.' },
  ]);
  const turn = await start({ env: { ...env, COPILOT_MODEL: 'claude-sonnet-4.6' } });
  await turn.finished();
  expect(turn.asks).toEqual([
    { path: at('b.txt'), tool: 'create', edit: { content: 'written\n' } },
    { path: at('b.txt'), tool: 'edit', edit: { replace: [{ old: 'written', new: 'more' }] } },
  ]);
  expect(readFileSync(at('b.txt'), 'utf8')).toBe('more\n');
  const offered = (JSON.parse(model.lastRequest()) as { tools: { function: { name: string } }[] }).tools;
  expect(
    offered.map((tool) => tool.function.name).filter((name) => /edit|patch|create|insert|replace/.test(name)),
  ).toEqual(['create', 'edit']);
});

test('without a key and a provider it says so', async () => {
  const { start, env } = await prepareAgent(caseOf('copilot'), []);
  const { COPILOT_PROVIDER_API_KEY: _key, COPILOT_PROVIDER_BASE_URL: _url, ...without } = env;
  const turn = await start({ env: without });
  expect(endOf(await turn.finished())).toMatchObject({ ok: false, reason: 'auth' });
});
