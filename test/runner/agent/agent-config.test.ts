import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Agent } from '../../../src/agents/agent.ts';
import { claude } from '../../../src/agents/claude.ts';
import { copilot } from '../../../src/agents/copilot.ts';
import { opencode } from '../../../src/agents/opencode.ts';
import { type AgentConfig, openAgentConfig } from '../../../src/runner/agent/agent-config.ts';
import type { Workspace } from '../../../src/runner/workspace/workspace.ts';
import { makeTemporaryDirectory, makeWorktree } from '../temporary-worktree.ts';

/** Given the worktree as it is. */
function withPlace(config: AgentConfig, workspace: Workspace) {
  const place = async (agent?: Agent) =>
    config.place(agent, await workspace.snapshot(), await workspace.changedPaths());
  return { ...config, place };
}

async function prepare(files: Record<string, string>) {
  const tree = makeWorktree(files);
  const workspace = await tree.open();
  const dir = join(tree.top, 'agent-config');
  const open = async () => withPlace(await openAgentConfig(workspace, dir), workspace);
  return { tree, workspace, dir, open, config: await open() };
}

const there = (path: string) => existsSync(path);

test('S-3: an agent starts with the files of before the run, and the run keeps its own', async () => {
  const { tree, config } = await prepare({
    'AGENTS.md': 'be kind\n',
    '.claude/settings.json': '{}\n',
    'src/CLAUDE.md': 'of src\n',
    '.gitignore': 'CLAUDE.local.md\n',
  });
  tree.write('AGENTS.md', 'obey me\n');
  tree.write('src/CLAUDE.md', 'obey me here\n');
  tree.write('lib/AGENTS.md', 'obey me there\n');
  // Ignored by git, obeyed by the agent.
  tree.write('CLAUDE.local.md', 'obey me quietly\n');
  tree.write('.claude/hooks/evil.sh', 'curl evil\n');
  chmodSync(tree.at('.claude/hooks/evil.sh'), 0o755);
  tree.remove('.claude/settings.json');
  tree.write('src/work.ts', 'work\n');

  const apart = await config.place();
  expect(apart.map(({ path }) => path).sort()).toEqual([
    '.claude/hooks/evil.sh',
    '.claude/settings.json',
    'AGENTS.md',
    'CLAUDE.local.md',
    'lib/AGENTS.md',
    'src/CLAUDE.md',
  ]);
  expect(tree.read('AGENTS.md')).toBe('be kind\n');
  expect(tree.read('.claude/settings.json')).toBe('{}\n');
  expect(tree.read('src/CLAUDE.md')).toBe('of src\n');
  for (const gone of ['.claude/hooks', 'CLAUDE.local.md', 'lib']) expect(there(tree.at(gone))).toBe(false);
  expect(tree.read('src/work.ts')).toBe('work\n');
  // The agent can read what it had.
  const copy = apart.find(({ path }) => path === 'AGENTS.md')?.copy ?? '';
  expect(readFileSync(copy, 'utf8')).toBe('obey me\n');

  await config.bringBack();
  expect(tree.read('AGENTS.md')).toBe('obey me\n');
  expect(tree.read('src/CLAUDE.md')).toBe('obey me here\n');
  expect(tree.read('lib/AGENTS.md')).toBe('obey me there\n');
  expect(tree.read('CLAUDE.local.md')).toBe('obey me quietly\n');
  expect(statSync(tree.at('.claude/hooks/evil.sh')).mode & 0o777).toBe(0o755);
  expect(there(tree.at('.claude/settings.json'))).toBe(false);
  expect(there(copy)).toBe(false);
});

test("S-3: a user's own uncommitted and ignored files are the originals, and stay", async () => {
  const tree = makeWorktree({ 'AGENTS.md': 'committed\n', '.gitignore': '.claude/settings.local.json\n' });
  tree.write('AGENTS.md', "the user's edit\n");
  tree.write('.claude/settings.local.json', '{"mine":true}\n');
  const workspace = await tree.open();
  const config = withPlace(await openAgentConfig(workspace, join(tree.top, 'agent-config')), workspace);
  expect(await config.place()).toEqual([]);
  tree.write('AGENTS.md', "the agent's\n");
  tree.write('.claude/settings.local.json', '{}\n');
  await config.place();
  expect(tree.read('AGENTS.md')).toBe("the user's edit\n");
  expect(tree.read('.claude/settings.local.json')).toBe('{"mine":true}\n');
});

test('S-3: what the checks write is no original either, though it is not the agent’s', async () => {
  const { tree, workspace, config } = await prepare({ 'a.txt': 'a\n' });
  const before = await workspace.snapshot();
  tree.write('CLAUDE.md', 'written by a test of the agent\n');
  await workspace.absorb(before, await workspace.snapshot());
  await config.place();
  expect(there(tree.at('CLAUDE.md'))).toBe(false);
  expect(await config.countChanged(await workspace.changedPaths())).toEqual([]);
  await config.bringBack();
  expect(there(tree.at('CLAUDE.md'))).toBe(true);
  expect(await workspace.changedPaths()).toEqual([]);
});

test('E-5: what is set apart counts as changed all the same; what is written anew counts once', async () => {
  const { tree, workspace, config } = await prepare({ 'AGENTS.md': 'be kind\n', 'a.txt': 'a\n' });
  tree.write('AGENTS.md', 'mine\n');
  tree.write('CLAUDE.md', 'mine\n');
  tree.write('a.txt', 'work\n');
  const all = ['AGENTS.md', 'CLAUDE.md', 'a.txt'];
  await config.place();
  expect(await workspace.changedPaths()).toEqual(['a.txt']);
  expect(await config.countChanged(await workspace.changedPaths())).toEqual(all);
  tree.write('CLAUDE.md', 'again\n');
  expect(await config.countChanged(await workspace.changedPaths())).toEqual(all);
});

test('S-3: the newer version wins, and one that was given up does not come back', async () => {
  const { tree, config } = await prepare({ 'AGENTS.md': 'be kind\n', 'GEMINI.md': 'be short\n' });
  for (const name of ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md']) tree.write(name, 'first\n');
  const apart = await config.place();
  tree.write('AGENTS.md', 'second\n');
  rmSync(apart.find(({ path }) => path === 'GEMINI.md')?.copy ?? '');
  const told = await config.bringBack();
  expect(tree.read('AGENTS.md')).toBe('second\n');
  // Nor is the older one lost.
  expect(told).toEqual([expect.stringContaining('AGENTS.md was rewritten during the turn.')]);
  expect(readFileSync(/ is in (.*)\.$/.exec(told[0] ?? '')?.[1] ?? '', 'utf8')).toBe('first\n');
  expect(await config.bringBack()).toEqual([]);
  expect(tree.read('CLAUDE.md')).toBe('first\n');
  expect(tree.read('GEMINI.md')).toBe('be short\n');
});

test('R-3: after a kill the next process brings back what was set apart, wherever the last one was', async () => {
  const { tree, dir, open, config } = await prepare({ 'AGENTS.md': 'be kind\n' });
  tree.write('AGENTS.md', 'mine\n');
  tree.write('CLAUDE.md', 'mine too\n');
  await config.place();
  await (await open()).bringBack();
  expect([tree.read('AGENTS.md'), tree.read('CLAUDE.md')]).toEqual(['mine\n', 'mine too\n']);

  // Killed between taking a file away and writing its original, and between that and the run's own on the way back.
  for (const phase of ['placing', 'returning']) {
    await (await open()).place();
    const file = join(dir, 'apart.json');
    const record = JSON.parse(readFileSync(file, 'utf8')) as object;
    tree.remove('AGENTS.md');
    writeFileSync(file, JSON.stringify({ ...record, phase }));
    await (await open()).bringBack();
    expect([tree.read('AGENTS.md'), tree.read('CLAUDE.md')]).toEqual(['mine\n', 'mine too\n']);
  }
});

test('S-11: a link is set apart as a link, and nothing is written through one', async () => {
  const { tree, config } = await prepare({
    '.claude/settings.json': '{}\n',
    '.github/copilot-instructions.md': 'help\n',
  });
  const outside = makeTemporaryDirectory();
  tree.remove('.claude');
  symlinkSync(outside, tree.at('.claude'));
  // Not a configuration path itself, but one lies behind it.
  tree.remove('.github');
  symlinkSync(outside, tree.at('.github'));
  symlinkSync(join(outside, 'secret'), tree.at('CLAUDE.md'));
  await config.place();
  expect(tree.read('.claude/settings.json')).toBe('{}\n');
  expect(lstatSync(tree.at('.claude')).isDirectory()).toBe(true);
  expect(tree.read('.github/copilot-instructions.md')).toBe('help\n');
  expect(lstatSync(tree.at('CLAUDE.md'), { throwIfNoEntry: false })).toBeUndefined();
  await config.bringBack();
  for (const link of ['.claude', '.github', 'CLAUDE.md'])
    expect(lstatSync(tree.at(link)).isSymbolicLink()).toBe(true);

  // A link put in the way during the turn stays what the agent made it; nothing lands behind it.
  tree.remove('.claude');
  tree.write('.claude/commands/mine.md', 'mine\n');
  await config.place();
  tree.remove('.claude');
  symlinkSync(outside, tree.at('.claude'));
  await config.bringBack();
  expect(lstatSync(tree.at('.claude')).isSymbolicLink()).toBe(true);
  expect(there(join(outside, 'commands'))).toBe(false);
  expect(there(join(outside, 'settings.json'))).toBe(false);
});

test('S-3: a directory or a pipe in place of a file goes, and what was in it comes back', async () => {
  const { tree, config } = await prepare({ 'AGENTS.md': 'be kind\n' });
  tree.remove('AGENTS.md');
  mkdirSync(tree.at('AGENTS.md'));
  tree.write('AGENTS.md/inner.txt', 'x\n');
  execFileSync('mkfifo', [tree.at('CLAUDE.md')]);
  await config.place();
  expect(tree.read('AGENTS.md')).toBe('be kind\n');
  expect(there(tree.at('CLAUDE.md'))).toBe(false);
  await config.bringBack();
  expect(tree.read('AGENTS.md/inner.txt')).toBe('x\n');
});

test('a worktree that is gone keeps nothing from being brought back later', async () => {
  const { tree, workspace, config } = await prepare({ 'AGENTS.md': 'be kind\n' });
  tree.write('AGENTS.md', 'mine\n');
  const before = await workspace.snapshot();
  await config.place();
  rmSync(tree.worktree, { recursive: true });
  await config.bringBack();
  await workspace.restoreTree(before);
  await config.bringBack();
  expect(tree.read('AGENTS.md')).toBe('mine\n');
});

test('S-3: instructions in a directory that git ignores are set apart as well; the user’s own are originals', async () => {
  const tree = makeWorktree({ 'a.txt': 'a\n', '.gitignore': 'vendor/\nnode_modules/\n' });
  tree.write('vendor/lib/AGENTS.md', 'of the library\n');
  const workspace = await tree.open();
  const config = withPlace(await openAgentConfig(workspace, join(tree.top, 'agent-config')), workspace);
  tree.write('sub/.gitignore', '*\n');
  tree.write('sub/CLAUDE.md', 'obey me\n');
  tree.write('sub/deep/er/.claude/settings.json', '{"hooks":{}}\n');
  tree.write('vendor/lib/AGENTS.md', 'obey me\n');
  tree.write('node_modules/pack/CLAUDE.md', 'of a package\n');
  const outside = makeTemporaryDirectory();
  writeFileSync(join(outside, 'CLAUDE.md'), 'not ours\n');
  symlinkSync(outside, tree.at('sub/linked'));
  const apart = await config.place();
  expect(apart.map(({ path }) => path).sort()).toEqual([
    'sub/CLAUDE.md',
    'sub/deep/er/.claude/settings.json',
    'vendor/lib/AGENTS.md',
  ]);
  expect(there(tree.at('sub/CLAUDE.md'))).toBe(false);
  expect(there(tree.at('sub/deep'))).toBe(false);
  expect(tree.read('vendor/lib/AGENTS.md')).toBe('of the library\n');
  expect(there(join(outside, 'CLAUDE.md'))).toBe(true);
  expect(config.sawAll()).toBe(true);
  await config.bringBack();
  expect(tree.read('sub/CLAUDE.md')).toBe('obey me\n');
});

test('S-3: a worktree deeper than anyone looks is told as such', async () => {
  const { tree, config } = await prepare({ 'a.txt': 'a\n' });
  tree.write(`${'d/'.repeat(25)}CLAUDE.md`, 'obey me\n');
  await config.place();
  expect(config.sawAll()).toBe(false);
});

test('S-3: other spellings are set apart at the top, for an agent that takes them; below they are ordinary files', async () => {
  const { tree, config } = await prepare({ 'Gemini.md': 'be kind\n', 'docs/agents.md': 'a page\n' });
  const planted = ['agents.md', '.GitHub/Copilot-Instructions.md'];
  for (const path of planted) tree.write(path, 'obey me\n');
  tree.write('Gemini.md', 'obey me\n');
  const ordinary = ['docs/agents.md', 'src/Claude.md', 'context.md', 'CONTEXT.md'];
  for (const path of ordinary) tree.write(path, 'work\n');
  expect(await config.place(claude)).toEqual([]);
  const apart = await config.place(copilot);
  expect(apart.map(({ path }) => path).sort()).toEqual([...planted, 'Gemini.md'].sort());
  for (const path of planted) expect(there(tree.at(path))).toBe(false);
  expect(tree.read('Gemini.md')).toBe('be kind\n');
  await config.bringBack();
  for (const path of [...planted, 'Gemini.md']) expect(tree.read(path)).toBe('obey me\n');
  for (const path of ordinary) expect(tree.read(path)).toBe('work\n');
});

test('S-3: a name that is ordinary elsewhere is set apart for the agent that obeys it, also after others ran', async () => {
  const { tree, config } = await prepare({ 'CONTEXT.md': 'of the user\n', 'context.md': 'a page\n' });
  for (const path of ['CONTEXT.md', 'src/CONTEXT.md', 'context.md']) tree.write(path, 'by the run\n');
  expect(await config.place(claude)).toEqual([]);
  const apart = await config.place(opencode);
  expect(apart.map(({ path }) => path).sort()).toEqual(['CONTEXT.md', 'src/CONTEXT.md']);
  expect(tree.read('CONTEXT.md')).toBe('of the user\n');
  await config.bringBack();
  for (const path of ['CONTEXT.md', 'src/CONTEXT.md']) expect(tree.read(path)).toBe('by the run\n');
});

test('S-11: a link in place of a directory that would hold instructions is set apart with all behind it', async () => {
  const { tree, config } = await prepare({ 'a.txt': 'a\n' });
  tree.write('docs/hooks/evil.json', '{}\n');
  symlinkSync('docs', tree.at('.github'));
  expect((await config.place()).map(({ path }) => path)).toEqual(['.github']);
  expect(there(tree.at('.github'))).toBe(false);
  await config.bringBack();
  expect(lstatSync(tree.at('.github')).isSymbolicLink()).toBe(true);
});
