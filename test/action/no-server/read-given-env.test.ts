import { expect, test } from 'vitest';
import { readGivenEnv } from '../../../src/action/no-server/read-given-env.ts';
import { actionsSecretName } from '../../../src/core/variable-name.ts';

test('N-4: a value of several lines is told by its line alone, with what to do', () => {
  const given = readGivenEnv('A=1\nPEM=-----BEGIN RSA PRIVATE KEY-----\nMIIEsecret\n');
  expect(given.problems).toEqual([
    'line 2 begins a value of several lines, which is cut: save it as base64',
    'line 3 is not KEY=value',
  ]);
  const whole = readGivenEnv('PEM="-----BEGIN KEY-----\\nMIIE\\n-----END KEY-----"\n');
  expect(whole.problems).toEqual([]);
});

test.each([
  'npm_token',
  'github_token',
  'gh_token',
  'node_auth_token',
  'http_proxy',
  '2captcha.key',
  'autobuild_key',
  'input_file',
  'runner_token',
  'home',
  'api-key',
])('N-4: the line that a question names for %s is one that the job takes', (key) => {
  const name = actionsSecretName(key);
  expect(readGivenEnv(`${name}=a value\n`)).toEqual({ values: { [name]: 'a value' }, problems: [] });
  expect(actionsSecretName(name)).toBe(name);
});

test('N-4: a name that the job does not take is told with one that it takes, and without the value', () => {
  expect(readGivenEnv('NPM_TOKEN=npm_abc\nexport OTHER=1\n')).toEqual({
    values: { OTHER: '1' },
    problems: ['line 1 sets NPM_TOKEN, which is not for agents: name it AGENT_NPM_TOKEN'],
  });
});

test.each([
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'DYLD_INSERT_LIBRARIES',
  'NODE_OPTIONS',
  'BASH_ENV',
  'ENV',
  'PYTHONSTARTUP',
  'JAVA_TOOL_OPTIONS',
  'GIT_SSH_COMMAND',
  'GIT_CONFIG_COUNT',
  'RUNNER_TEMP',
  'GITHUB_WORKSPACE',
  'https_proxy',
  'PATH',
])('N-4: %s steers this job or every program, so nobody sets it', (name) => {
  const { values, problems } = readGivenEnv(`${name}=/tmp/x`);
  expect(values).toEqual({});
  expect(problems).toHaveLength(1);
});
