import { expect, test } from 'vitest';
import { jobEnvironment } from '../../../src/action/job-environment.ts';
import { agentEnvironment } from '../../../src/cli/agent-environment.ts';
import { scrubEnv } from '../../../src/runner/checks/scrub-env.ts';

test('checks get no model key, no token, no input of ours, and plain output', () => {
  const secrets = [
    'ANTHROPIC_API_KEY',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'OPENAI_API_KEY',
    'AZURE_OPENAI_API_KEY',
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
    'COPILOT_TOKEN',
    'GITHUB_TOKEN',
    'GH_TOKEN',
    'ACTIONS_RUNTIME_TOKEN',
    'ACTIONS_ID_TOKEN_REQUEST_URL',
    'AUTOBUILD_TICKET',
    'INPUT_API-KEY',
    'GITHUB_ENV',
    'GITHUB_PATH',
    'FORCE_COLOR',
    'openai_api_key',
    'STRIPE_KEY',
  ];
  const env = {
    ...Object.fromEntries(secrets.map((name) => [name, 's3cret'])),
    PATH: '/bin',
    DATABASE_URL: 'x',
    CI: '',
    GITHUB_ACTIONS: 'true',
  };
  expect(scrubEnv(env, ['STRIPE_KEY'])).toEqual({
    PATH: '/bin',
    DATABASE_URL: 'x',
    GITHUB_ACTIONS: 'true',
    CI: 'true',
    NO_COLOR: '1',
  });
  expect(scrubEnv({ GONE: undefined }, [])).toEqual({ CI: 'true', NO_COLOR: '1' });
});

test('S-4: what opens the repository, the job or a registry reaches neither agents nor checks, however it is spelled', () => {
  const names = [
    'GITHUB_TOKEN',
    'GH_TOKEN',
    'GH_ENTERPRISE_TOKEN',
    'NPM_TOKEN',
    'NODE_AUTH_TOKEN',
    'GITHUB_ENV',
  ];
  const prefixed = ['ACTIONS_RUNTIME_TOKEN', 'AUTOBUILD_TICKET', 'INPUT_KEY', 'STATE_X', 'GITHUB_EVENT_PATH'];
  const all = [...names, ...prefixed].flatMap((name) => [name, name.toLowerCase()]);
  const kept = { PATH: '/bin', GITHUB_ACTIONS: 'true' };
  const env = { ...Object.fromEntries(all.map((name) => [name, 's3cret'])), ...kept };
  expect(agentEnvironment(env)).toEqual(kept);
  expect(jobEnvironment(env)).toEqual(kept);
  expect(jobEnvironment({ ...env, GITHUB_ACTIONS: undefined })).toEqual({ PATH: '/bin' });
  expect(scrubEnv(env, [])).toEqual({ ...kept, CI: 'true', NO_COLOR: '1' });
});

test("S-4: at a terminal names that mean something in Actions only are the user's own; the tokens are not", () => {
  const own = { STATE_DIR: '/var/state', INPUT_FILE: 'in.csv', ACTIONS_PER_MINUTE: '5', PATH: '/bin' };
  const env = { ...own, GITHUB_TOKEN: 's3cret', NPM_TOKEN: 's3cret', AUTOBUILD_TICKET: 's3cret' };
  expect(agentEnvironment(env)).toEqual(own);
  expect(scrubEnv(env, [])).toEqual({ ...own, CI: 'true', NO_COLOR: '1' });
});
