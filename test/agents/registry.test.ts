import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AGENTS, agentNamed } from '../../src/agents/registry.ts';

const docs = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8');

test.each(Object.entries(AGENTS))('%s is complete, and the page on agents tells of it', (name, agent) => {
  expect(agent.name).toBe(name);
  expect(agentNamed(name)).toBe(agent);
  expect(agent).toMatchObject({
    testedVersion: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    hook: { readAsk: expect.any(Function), answer: expect.any(Function) },
    sessionFiles: expect.any(Function),
  });
  expect(agent.environment ?? []).not.toEqual([]);
  expect(docs).toContain(`| \`${name}\` | ${agent.testedVersion} |`);
  expect(docs).toContain(`@${agent.testedVersion}\``);
  for (const key of agent.keys ?? []) expect(docs).toContain(`\`${key}\``);
});

test('a name that is none is none', () => {
  for (const name of ['', 'constructor', '__proto__', 'Claude']) expect(agentNamed(name)).toBeUndefined();
});
