import { expect, test } from 'vitest';
import { AGENTS } from '../../../src/agents/registry.ts';
import { keylessEnvironment, openTurnKeys } from '../../../src/runner/key-proxy/turn-keys.ts';

const KEY = 'sk-the-real-key-0123456789';

function agentNamed(name: string) {
  const agent = AGENTS[name];
  if (!agent) throw new Error(`there is no agent ${name}`);
  return agent;
}

async function keysOf(name: string, env: Record<string, string>, granted: string[] = []) {
  const keys = await openTurnKeys(agentNamed(name), env, granted);
  await keys.close();
  return keys;
}

test.each([
  ['claude', { ANTHROPIC_API_KEY: KEY, CLAUDE_CODE_OAUTH_TOKEN: KEY }, 'ANTHROPIC_BASE_URL', ''],
  ['claude', { ANTHROPIC_AUTH_TOKEN: KEY, ANTHROPIC_API_KEY: KEY }, 'ANTHROPIC_BASE_URL', ''],
  ['codex', { OPENAI_API_KEY: KEY, CODEX_API_KEY: KEY }, 'OPENAI_BASE_URL', '/v1'],
  ['gemini', { GEMINI_API_KEY: KEY, GOOGLE_API_KEY: KEY }, 'GOOGLE_GEMINI_BASE_URL', ''],
  [
    'copilot',
    {
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_GITHUB_TOKEN: KEY,
      COPILOT_PROVIDER_BASE_URL: 'https://models.test/v1/',
    },
    'COPILOT_PROVIDER_BASE_URL',
    '/v1',
  ],
  ['opencode', { ANTHROPIC_API_KEY: KEY }, undefined, '/v1'],
])('S-4: the key of %s in %o is held back', async (name, given, address, path) => {
  const { env, custody, modelAddress } = await keysOf(name, { ...given, PATH: '/bin' } as Record<
    string,
    string
  >);
  expect(custody).toBe('held');
  expect(Object.values(env)).not.toContain(KEY);
  expect(env.PATH).toBe('/bin');
  expect(modelAddress).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+${path}$`));
  if (address) expect(env[address]).toBe(modelAddress);
  expect(agentNamed(name).keys?.some((key) => env[key]?.startsWith('autobuild-'))).toBe(true);
  const keyless = keylessEnvironment(agentNamed(name), given as Record<string, string>);
  expect(Object.values(keyless)).not.toContain(KEY);
});

test.each([
  ['claude', { CLAUDE_CODE_OAUTH_TOKEN: KEY }, 'login'],
  ['claude', { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: 'https://me:pass@models.test' }, 'address'],
  ['claude', { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: 'models.test' }, 'address'],
  ['gemini', { GOOGLE_API_KEY: KEY }, 'cloud'],
  ['gemini', { GEMINI_API_KEY: KEY, GOOGLE_GENAI_USE_VERTEXAI: 'true' }, 'cloud'],
  ['copilot', { COPILOT_GITHUB_TOKEN: KEY }, 'github_token'],
  [
    'copilot',
    {
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_PROVIDER_BASE_URL: 'https://x.test',
      COPILOT_PROVIDER_TYPE: 'azure',
    },
    'cloud',
  ],
  ['opencode', { OPENCODE_AUTH_CONTENT: '{}' }, 'login'],
  ['opencode', { OPENCODE_CONFIG: '/x', ANTHROPIC_API_KEY: KEY }, 'own_settings'],
  ['copilot', { COPILOT_PROVIDER_BASE_URL: 'http://localhost:1' }, undefined],
])('S-4: %s with %o has its key itself: %s', async (name, env, custody) => {
  const given = env as Record<string, string>;
  expect(await keysOf(name, given)).toMatchObject({ env: given, custody });
});

test('S-4: a key that a person gave to the agent stays with it', async () => {
  const env = { ANTHROPIC_API_KEY: KEY };
  expect(await keysOf('claude', env, ['ANTHROPIC_API_KEY'])).toMatchObject({ env, custody: 'granted' });
});

test('S-4: requests to the key proxy go past a web proxy', async () => {
  const env = { ANTHROPIC_API_KEY: KEY, HTTP_PROXY: 'http://web.test:3128', NO_PROXY: 'a.test' };
  expect((await keysOf('claude', env)).env).toMatchObject({
    NO_PROXY: 'a.test,127.0.0.1',
    no_proxy: '127.0.0.1',
  });
});
