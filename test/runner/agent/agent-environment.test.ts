import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Agent } from '../../../src/agents/agent.ts';
import { commandAgent } from '../../../src/agents/command.ts';
import { AGENTS } from '../../../src/agents/registry.ts';
import { environmentFor } from '../../../src/runner/agent/agent-environment.ts';
import { makeTemporaryDirectory } from '../temporary-worktree.ts';

const KEYS = {
  ANTHROPIC_API_KEY: 'a',
  OPENAI_API_KEY: 'o',
  GEMINI_API_KEY: 'g',
  COPILOT_GITHUB_TOKEN: 'c',
};
const SECRETS = {
  GITHUB_TOKEN: 't',
  GH_TOKEN: 't',
  ACTIONS_RUNTIME_TOKEN: 't',
  ACTIONS_ID_TOKEN_REQUEST_URL: 'u',
  PRIVATE_KEY: 'p',
  WEBHOOK_SECRET: 'w',
  NPM_TOKEN: 'n',
  AWS_SECRET_ACCESS_KEY: 's',
  DATABASE_URL: 'd',
};
const EVERYBODY = { PATH: '/bin', HOME: '/home/me', LC_ALL: 'C', HTTPS_PROXY: 'http://proxy' };
const env = { ...EVERYBODY, ...KEYS, ...SECRETS };

test('S-4: a built-in agent gets what any program needs, its own key, and nothing else', () => {
  expect(environmentFor(AGENTS.claude as never, env)).toEqual({ ...EVERYBODY, ANTHROPIC_API_KEY: 'a' });
  expect(environmentFor(AGENTS.codex as never, env)).toEqual({ ...EVERYBODY, OPENAI_API_KEY: 'o' });
  expect(environmentFor(AGENTS.gemini as never, env)).toEqual({ ...EVERYBODY, GEMINI_API_KEY: 'g' });
  expect(environmentFor(AGENTS.copilot as never, env)).toEqual({ ...EVERYBODY, COPILOT_GITHUB_TOKEN: 'c' });
});

test.each(Object.values(AGENTS))(
  'S-4: $name gets no secret of the job, and says which keys it uses',
  (agent) => {
    const given = environmentFor(agent, env);
    expect(Object.keys(given).filter((name) => name in SECRETS)).toEqual([]);
    // Each key it asks for reaches it.
    expect(agent.keys ?? []).not.toEqual([]);
    for (const key of agent.keys ?? [])
      expect(environmentFor(agent, { ...SECRETS, [key]: 'k' })).toEqual({ [key]: 'k' });
  },
);

const opencode = AGENTS.opencode as Agent;

test('S-4: OpenCode gets the key of one provider, the first there is', () => {
  expect(environmentFor(opencode, env)).toEqual({ ...EVERYBODY, ANTHROPIC_API_KEY: 'a' });
  expect(environmentFor(opencode, { GROQ_API_KEY: 'q', GEMINI_API_KEY: 'g' })).toEqual({
    GEMINI_API_KEY: 'g',
  });
});

test('S-4: with settings of its own OpenCode gets no key but those they name', () => {
  for (const own of ['OPENCODE_API_KEY', 'OPENCODE_AUTH_CONTENT', 'OPENCODE_CONFIG'])
    expect(environmentFor(opencode, { ...KEYS, [own]: '/nowhere' })).toEqual({ [own]: '/nowhere' });
  const file = join(makeTemporaryDirectory(), 'opencode.json');
  writeFileSync(file, '{"apiKey": "{env:OPENAI_API_KEY}", "other": "{env:GITHUB_TOKEN} {env:X"}');
  expect(environmentFor(opencode, { ...env, OPENCODE_CONFIG: file })).toEqual({
    ...EVERYBODY,
    OPENCODE_CONFIG: file,
    OPENAI_API_KEY: 'o',
  });
});

test('a prefix stands for names that begin with it, a name for itself alone', () => {
  const agent = { ...commandAgent('mine', ['x']), environment: ['MINE_*', 'KEY'] };
  expect(
    environmentFor(agent, { MINE_A: '1', MINE_: '2', MINE: '3', KEY: '4', KEY_2: '5', XMINE_A: '6' }),
  ).toEqual({
    MINE_A: '1',
    MINE_: '2',
    KEY: '4',
  });
});

test("a user's own command gets its environment as it is", () => {
  expect(environmentFor(commandAgent('mine', ['x']), env)).toEqual(env);
});

test('P-9: the Actions secrets that a person named for it reach an agent, and no others', () => {
  const passed = { ...env, MAIL_API_KEY: 'm', SHOP_KEY: 's' };
  expect(environmentFor(AGENTS.claude as never, passed, ['MAIL_API_KEY'])).toEqual({
    ...EVERYBODY,
    ANTHROPIC_API_KEY: 'a',
    MAIL_API_KEY: 'm',
  });
});
