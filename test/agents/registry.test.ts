import { expect, test } from 'vitest';
import { AGENTS, agentNamed, agentNames } from '../../src/agents/registry.ts';

test('every agent is found by its own name, and nothing else is', () => {
  expect(agentNames()).toEqual(['claude', 'codex', 'gemini', 'opencode', 'copilot']);
  for (const name of agentNames()) expect(agentNamed(name)?.name).toBe(name);
  for (const name of ['constructor', '__proto__', '', 'Claude']) expect(agentNamed(name)).toBeUndefined();
});

test('no agent is given a token of the repository or the job, and each one says what it needs', () => {
  for (const { name, environment = [], keys = [], hook, testedVersion } of Object.values(AGENTS)) {
    expect(environment, name).not.toEqual([]);
    for (const entry of environment) {
      const prefix = entry.replace(/\*$/, '');
      const leaks = [
        'GITHUB_TOKEN',
        'GH_TOKEN',
        'ACTIONS_RUNTIME_TOKEN',
        'AUTOBUILD_APP_KEY',
        'NPM_TOKEN',
      ].filter((token) => (entry.endsWith('*') ? token.startsWith(prefix) : token === entry));
      expect(leaks, `${name}: ${entry}`).toEqual([]);
    }
    const given = (key: string) =>
      environment.some((entry) => (entry.endsWith('*') ? key.startsWith(entry.slice(0, -1)) : key === entry));
    expect(
      keys.filter((key) => !given(key)),
      `${name} is not given its key`,
    ).toEqual([]);
    expect(hook, name).toBeDefined();
    expect(testedVersion, name).toMatch(/^\d+\.\d+\.\d+$/);
  }
});
