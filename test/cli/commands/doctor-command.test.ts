import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { AGENTS } from '../../../src/agents/registry.ts';
import { doctorCommand } from '../../../src/cli/commands/doctor-command.ts';
import { readOptions } from '../../../src/cli/options.ts';
import { findExecutable } from '../../../src/runner/process/find-executable.ts';
import { makeTemporaryDirectory } from '../../runner/temporary-worktree.ts';

/** A machine with these programs and no others; each says what it is told to when asked for its version. */
function machine(programs: Record<string, string>, { git = true } = {}) {
  const folder = makeTemporaryDirectory();
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const found = findExecutable('git', { cwd: folder, path: process.env.PATH ?? '' });
  if (git && 'path' in found) symlinkSync(found.path, join(folder, 'git'));
  const look = (args: string[] = [], env: Record<string, string> = {}) =>
    doctorCommand(readOptions(['doctor', ...args], folder), { PATH: folder, ...env });
  return Object.assign(look, {
    write(path: string, text: string): void {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    at: (path: string) => join(folder, path),
    has: (path: string) => existsSync(join(folder, path)),
  });
}

test('what is there is named with its version and its key, by the name of the variable alone', async () => {
  const look = machine({ claude: 'echo "2.1.325 (Claude Code)"' });
  const { lines, ok } = await look(['--agent', 'claude'], { ANTHROPIC_API_KEY: 'sk-very-secret' });
  expect(ok).toBe(true);
  expect(lines).toEqual([
    expect.stringMatching(/^✓ git version \d/),
    '✓ claude: 2.1.325 (Claude Code)',
    '  key: ANTHROPIC_API_KEY is set',
  ]);
});

test('a missing program is told, with the version to install', async () => {
  const { lines, ok } = await machine({})(['--agent', 'codex'], { OPENAI_API_KEY: 'k' });
  expect(ok).toBe(false);
  expect(lines.slice(1)).toEqual([
    '✗ codex: its command is not in PATH (tested: 0.166.0)',
    '  install it: npm install -g @openai/codex@0.166.0',
    '  key: OPENAI_API_KEY is set',
  ]);
  const keyless = await machine({})(['--agent', 'codex']);
  expect(keyless.lines.at(-1)).toBe('  ✗ no key: set CODEX_API_KEY or OPENAI_API_KEY');
});

test('another version than the tested one is a warning, not a failure', async () => {
  const look = machine({ codex: 'echo codex-cli 0.166.01' });
  const { lines, ok } = await look(['--agent', 'codex'], { OPENAI_API_KEY: 'k' });
  expect(ok).toBe(true);
  expect(lines[1]).toBe(
    '! codex here is codex-cli 0.166.01. Autobuild was tested with 0.166.0: another version may behave differently.',
  );
});

test('a version in the middle of a sentence is found', async () => {
  const look = machine({ copilot: `echo "GitHub Copilot CLI 1.0.102."; echo "Run 'copilot update'."` });
  const { lines } = await look(['--agent', 'copilot'], { COPILOT_GITHUB_TOKEN: 't' });
  expect(lines[1]).toBe('✓ copilot: GitHub Copilot CLI 1.0.102.');
});

test('a missing key names the variables that would do', async () => {
  const { lines, ok } = await machine({ gemini: 'echo 0.61.0' })(['--agent', 'gemini']);
  expect(ok).toBe(false);
  expect(lines.at(-1)).toBe(
    '  ✗ no key: set GEMINI_API_KEY or GOOGLE_API_KEY or GOOGLE_APPLICATION_CREDENTIALS',
  );
});

test.each([
  ['named', ['--agent', 'codex']],
  ['among all', []],
])('a program that fails is a problem, told in its own words, %s', async (_, args) => {
  const look = machine({ codex: "printf '%3000s' >&2; printf '\\033[31mno\\nlibssl\\n' >&2; exit 3" });
  const { lines, ok } = await look(args, { OPENAI_API_KEY: 'k' });
  expect(ok).toBe(false);
  expect(lines).toContain('✗ codex: codex --version exited 3');
  expect(lines.find((line) => line.startsWith('  it said: '))).toMatch(/^ {2}it said: \S{0,12}no libssl$/);
  expect(lines.join('')).not.toContain('\u001b');
});

test('S-4: a program is asked for its version without tokens and keys, its own included', async () => {
  const look = machine({ codex: 'echo "codex-cli 0.166.0 $GITHUB_TOKEN$ANTHROPIC_API_KEY$OPENAI_API_KEY"' });
  const env = { GITHUB_TOKEN: 'secret', ANTHROPIC_API_KEY: 'secret', OPENAI_API_KEY: 'own' };
  const { lines } = await look(['--agent', 'codex'], env);
  expect(lines[1]).toBe('✓ codex: codex-cli 0.166.0');
});

test('an agent of the config is looked for by its command, also under the name of a built-in one', async () => {
  const look = machine({ helper: 'touch started', codex: 'exit 3' });
  look.write(
    '.github/autobuild.yml',
    'agents:\n  mine: { command: [helper, -x] }\n  codex: { command: [./gone] }\n',
  );
  const mine = await look(['--agent', 'mine']);
  expect(mine.ok).toBe(true);
  expect(mine.lines[1]).toMatch(/^✓ mine: its command is .*\/helper$/);
  expect(look.has('started')).toBe(false);
  const own = await look(['--agent', 'codex']);
  expect(own.ok).toBe(false);
  expect(own.lines[1]).toMatch(/^✗ codex: The agent .*gone does not exist/);
});

test('T-8: in a subdirectory the command of the config is looked for at the top, where a run starts it', async () => {
  const look = machine({});
  look.write('.github/autobuild.yml', 'agents:\n  mine: { command: [./agent.sh] }\n');
  look.write('.git/HEAD', 'ref: refs/heads/main\n');
  look.write('agent.sh', '#!/bin/sh\n');
  look.write('packages/a/index.js', '');
  chmodSync(look.at('agent.sh'), 0o755);
  const { lines, ok } = await look(['--agent', 'mine', '--directory', look.at('packages/a')]);
  expect(lines[1]).toMatch(/^✓ mine: its command is .*\/agent\.sh$/);
  expect(ok).toBe(true);
});

test('without git nothing works', async () => {
  const { lines, ok } = await machine({}, { git: false })();
  expect(ok).toBe(false);
  expect(lines[0]).toBe('✗ git is missing: install git 2.30 or newer');
});

test('without a name every agent is looked at, and none is needed', async () => {
  const { lines, ok } = await machine({})();
  expect(ok).toBe(true);
  for (const name of Object.keys(AGENTS)) expect(lines.join('\n')).toContain(`✗ ${name}: `);
  expect(lines.at(-1)).toContain('Any other command works too');
});

test('T-8: the agent that the config names has to be there', async () => {
  const look = machine({ codex: 'echo codex-cli 0.166.0' });
  look.write('.github/autobuild.yml', 'agent: claude\n');
  const missing = await look([], { OPENAI_API_KEY: 'k' });
  expect(missing.ok).toBe(false);
  expect(missing.lines.at(-1)).toBe(
    '✗ .github/autobuild.yml names claude, which cannot run here: see to it as said at claude, or name another one as `agent`',
  );
  look.write('.github/autobuild.yml', 'agent: codex\n');
  const there = await look([], { OPENAI_API_KEY: 'k' });
  expect(there.ok).toBe(true);
  expect(there.lines.at(-1)).toBe('✓ .github/autobuild.yml names codex');
});

test('an unknown name is refused, with those that are known', async () => {
  await expect(machine({})(['--agent', 'nobody'])).rejects.toMatchObject({
    message: expect.stringContaining('nobody'),
    remedy: expect.stringContaining('claude, codex, gemini, opencode, copilot'),
  });
});

test('the version is that of the run, which does not use newer ones in the home of the user', async () => {
  const look = machine({ copilot: 'test "$COPILOT_HOME" && echo 1.0.102 || echo 9.9.9' });
  const { lines, ok } = await look(['--agent', 'copilot'], { COPILOT_GITHUB_TOKEN: 'k' });
  expect(ok).toBe(true);
  expect(lines[1]).toBe('✓ copilot: 1.0.102');
});

test("Claude Code's own login is named as its key", async () => {
  const look = machine({ claude: 'echo "2.1.325 (Claude Code)"' });
  const home = makeTemporaryDirectory();
  writeFileSync(join(home, '.credentials.json'), '{"claudeAiOauth":{"accessToken":"secret-token"}}');
  const { lines, ok } = await look(['--agent', 'claude'], { CLAUDE_CONFIG_DIR: home });
  expect(ok).toBe(true);
  expect(lines.at(-1)).toBe(`  key: its own login, ${home}/.credentials.json`);
});
