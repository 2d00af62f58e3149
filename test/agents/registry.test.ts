import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandAgent } from '../../src/agents/command.ts';
import { installCommand } from '../../src/agents/install-command.ts';
import { AGENTS, agentConfigFiles, agentNamed, agentVariables } from '../../src/agents/registry.ts';
import { isUsablePattern } from '../../src/core/work/path-pattern.ts';
import { configNamesOf, isAgentConfigPath } from '../../src/runner/agent/agent-config-paths.ts';
import { scrubEnv } from '../../src/runner/checks/scrub-env.ts';

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
  expect(docs).toContain(`\`${installCommand(agent)}\``);
  for (const key of agent.keys ?? []) expect(docs).toContain(`\`${key}\``);
  if (agent.node)
    expect(docs).toMatch(new RegExp(`\`${name}\` (?:asks )?for (?:Node\\.js )?${agent.node}\\b`));
});

test('a name that is none is none', () => {
  for (const name of ['', 'constructor', '__proto__', 'Claude']) expect(agentNamed(name)).toBeUndefined();
});

test.each(Object.values(AGENTS))(
  'P-7: the patterns of the files that make a conversation of $name are within the limits of ours',
  ({ sessionFiles, exportedFiles = [] }) => {
    const globs = [...(sessionFiles?.('2f6c1a0e-5c55-4c0f-9a53-0f1c3f8f8a11') ?? []), ...exportedFiles];
    expect(globs).not.toEqual([]);
    for (const glob of globs) expect(isUsablePattern(glob), glob).toBe(true);
  },
);

test.each(Object.values(AGENTS))(
  'no turn can change the files that $name obeys for the next one',
  (agent) => {
    const files = agentConfigFiles([agent]);
    const anywhere = [...files.anywhere, ...files.ordinary];
    expect([...files.atTop, ...anywhere]).not.toEqual([]);
    for (const path of [...files.atTop, ...anywhere, ...anywhere.map((name) => `src/${name}`)])
      expect(isAgentConfigPath(path, configNamesOf(agent)), path).toBe(true);
  },
);

test.each(Object.values(AGENTS))('S-4: no key of $name reaches the checks', (agent) => {
  const keys = Object.fromEntries((agent.keys ?? []).map((name) => [name, 'secret']));
  expect(Object.values(scrubEnv(keys, []))).not.toContain('secret');
});

test('one more agent brings its own keys and files: nothing else has to know of it', () => {
  const qwen = {
    ...commandAgent('qwen', ['qwen']),
    keys: ['DASHSCOPE_API_KEY'],
    environment: ['DASHSCOPE_API_KEY', 'BAILIAN_*', 'HARMLESS'],
    configFiles: { atTop: ['.qwen'], anywhere: ['QWEN.md'] },
  };
  expect(agentConfigFiles([qwen])).toMatchObject({ atTop: ['.qwen'], anywhere: ['QWEN.md'] });
  expect(agentVariables([qwen])).toEqual(['QWEN_*', 'DASHSCOPE_API_KEY', 'BAILIAN_*']);
  const env = { DASHSCOPE_API_KEY: 's', QWEN_TOKEN: 's', BAILIAN_KEY: 's', HARMLESS: 'h' };
  expect(scrubEnv(env, [], agentVariables([qwen]))).toEqual({ HARMLESS: 'h', CI: 'true', NO_COLOR: '1' });
});
