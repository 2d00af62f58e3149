import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { AGENTS } from '../../../src/agents/registry.ts';
import { removeTree, renewAgentHome } from '../../../src/runner/agent/agent-home.ts';
import { makeTemporaryDirectory } from '../temporary-worktree.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';

function makeHome(files: Record<string, string>) {
  const top = makeTemporaryDirectory();
  const home = join(top, 'agent-home');
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const list = () =>
    readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))
      .sort();
  return { top, home, write, list };
}

const globsOf = (name: string) => AGENTS[name]?.sessionFiles?.(SESSION) ?? [];

test.each([
  ['claude', [`claude/projects/-w/${SESSION}.jsonl`], ['claude/settings.json', 'claude/CLAUDE.md']],
  ['codex', [`codex/sessions/2026/rollout-1-${SESSION}.jsonl`], ['codex/hooks.json', 'codex/AGENTS.md']],
  [
    'gemini',
    ['gemini/.gemini/tmp/w/chats/session-1-11111111.json'],
    ['gemini/.gemini/extensions/evil/gemini-extension.json', 'gemini/.gemini/settings.json'],
  ],
  [
    'opencode',
    ['opencode/session.json'],
    ['opencode/config/opencode/opencode.json', 'opencode/config/opencode/plugin/evil.js'],
  ],
  [
    'copilot',
    [`copilot/session-state/${SESSION}/events.jsonl`],
    ['copilot/hooks/evil.json', 'copilot/instructions/evil.instructions.md'],
  ],
])('S-3: of the home of %s only the conversation goes on', async (name, kept, planted) => {
  const { top, home, list } = makeHome(
    Object.fromEntries([...kept, ...planted].map((path) => [path, `text of ${path}`])),
  );
  expect(await renewAgentHome(home, globsOf(name))).toBeUndefined();
  expect(list()).toEqual(kept);
  for (const path of kept) expect(readFileSync(join(home, path), 'utf8')).toBe(`text of ${path}`);
  expect(readdirSync(top)).toEqual(['agent-home']);
});

test('S-11: no link in a home is followed, be it a file, a directory or the home itself', async () => {
  const { top, home, write, list } = makeHome({ 'codex/sessions/keep': 'x' });
  const outside = makeTemporaryDirectory();
  const name = `rollout-1-${SESSION}.jsonl`;
  writeFileSync(join(outside, name), 'a secret');
  symlinkSync(join(outside, name), join(home, 'codex/sessions', name));
  symlinkSync(outside, join(home, 'codex/sessions/linked'));
  await renewAgentHome(home, globsOf('codex'));
  expect(list()).toEqual([]);
  expect(readFileSync(join(outside, name), 'utf8')).toBe('a secret');

  await removeTree(home);
  mkdirSync(join(outside, 'codex/sessions'), { recursive: true });
  writeFileSync(join(outside, 'codex/sessions', name), 'of another home');
  symlinkSync(outside, home);
  await renewAgentHome(home, globsOf('codex'));
  expect(list()).toEqual([]);
  expect(existsSync(join(outside, 'codex/sessions', name))).toBe(true);
  write('codex/config.toml', '');
  expect(readdirSync(top)).toEqual(['agent-home']);
});

test('R-3: a renewal that was cut short begins again from the old home', async () => {
  const path = `codex/sessions/rollout-1-${SESSION}.jsonl`;
  const { top, home, list } = makeHome({ 'codex/hooks.json': 'half made' });
  mkdirSync(dirname(join(`${home}.old`, path)), { recursive: true });
  writeFileSync(join(`${home}.old`, path), 'the conversation');
  mkdirSync(`${home}.gone/left`, { recursive: true });
  await renewAgentHome(home, globsOf('codex'));
  expect(list()).toEqual([path]);
  expect(readdirSync(top)).toEqual(['agent-home']);
});

test('a home with more files than anyone looks through loses its conversation, and no more', async () => {
  const { home, list } = makeHome({ [`codex/sessions/rollout-1-${SESSION}.jsonl`]: 'x' });
  mkdirSync(join(home, 'many'));
  for (let at = 0; at <= 20_000; at += 1) writeFileSync(join(home, 'many', String(at)), '');
  expect(await renewAgentHome(home, globsOf('codex'))).toContain('more than 20000 files');
  expect(list()).toEqual([]);
});

test('directories that may not be entered go all the same', async () => {
  const { home, list } = makeHome({ 'a/b/c': 'x' });
  chmodSync(join(home, 'a/b'), 0o000);
  chmodSync(join(home, 'a'), 0o500);
  await renewAgentHome(home, []);
  expect(list()).toEqual([]);
  expect(existsSync(`${home}.gone`)).toBe(false);
});
