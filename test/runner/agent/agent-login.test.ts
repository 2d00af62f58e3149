import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claude } from '../../../src/agents/claude.ts';
import { codex } from '../../../src/agents/codex.ts';
import { commandAgent } from '../../../src/agents/command.ts';
import { environmentFor, missingKeys } from '../../../src/runner/agent/agent-environment.ts';
import { findLogin } from '../../../src/runner/agent/agent-login.ts';
import { makeTemporaryDirectory } from '../temporary-worktree.ts';

function homeWith(login: unknown): string {
  const home = makeTemporaryDirectory();
  mkdirSync(join(home, '.claude'));
  writeFileSync(join(home, '.claude/.credentials.json'), JSON.stringify(login));
  return home;
}
const oauth = (more: object = {}) => ({
  claudeAiOauth: { accessToken: 'token-1', refreshToken: 'refresh-1', ...more },
});

test("S-4: Claude Code's own login counts as a key, and only Claude Code gets it, without the refresh token", () => {
  const env = { HOME: homeWith(oauth({ expiresAt: Date.now() + 3_600_000 })) };
  expect(missingKeys(claude, env)).toBeUndefined();
  expect(environmentFor(claude, env)).toEqual({ ...env, CLAUDE_CODE_OAUTH_TOKEN: 'token-1' });
  expect(environmentFor(codex, env)).toEqual(env);
  expect(environmentFor(commandAgent('own', ['x']), env)).toEqual(env);
  expect(missingKeys(codex, env)).toBeDefined();
  const keyed = { ...env, ANTHROPIC_API_KEY: 'k' };
  expect(environmentFor(claude, keyed)).toEqual(keyed);
});

test.each([
  ['an expired one', oauth({ expiresAt: 1_000 })],
  ['one of another form', { claudeAiOauth: 'x' }],
  ['a file of something else', []],
])('S-4: %s is no login', (_, login) => {
  const env = { HOME: homeWith(login) };
  expect(findLogin(claude, env, 2_000)).toBeUndefined();
  expect(environmentFor(claude, env)).toEqual(env);
});

test('S-4: a login is found where its program would look', () => {
  const directory = join(homeWith(oauth()), '.claude');
  expect(findLogin(claude, { HOME: '/nowhere', CLAUDE_CONFIG_DIR: directory })).toMatchObject({
    token: 'token-1',
  });
  expect(findLogin(claude, {})).toBeUndefined();
});
