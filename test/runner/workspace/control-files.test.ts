import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Agent } from '../../../src/agents/agent.ts';
import { claude } from '../../../src/agents/claude.ts';
import { copilot } from '../../../src/agents/copilot.ts';
import { gemini } from '../../../src/agents/gemini.ts';
import { opencode } from '../../../src/agents/opencode.ts';
import { recordControlFiles, revertAfterCrash } from '../../../src/runner/workspace/control-files.ts';
import { git, makeTemporaryDirectory, makeWorktree } from '../temporary-worktree.ts';

function prepare() {
  const tree = makeWorktree({ 'a.txt': 'a\n' });
  const dir = join(tree.top, 'kept');
  return { tree, dir, note: (agent?: Agent) => recordControlFiles(tree.worktree, dir, agent) };
}

/** A repository like the other, whose settings name a program. */
function plantRepository(from: string, top: string): { planted: string; ran: () => boolean } {
  const planted = join(top, 'planted');
  cpSync(from, planted, { recursive: true });
  git(planted, 'config', '--file', join(planted, 'config'), 'core.fsmonitor', `touch ${top}/ran; false`);
  return { planted, ran: () => existsSync(join(top, 'ran')) };
}

test('S-11: hooks and settings of git that a run plants do not outlive its turn, and the user is told', async () => {
  const { tree, dir, note } = prepare();
  mkdirSync(tree.at('.git/hooks'), { recursive: true });
  writeFileSync(tree.at('.git/hooks/pre-push'), '#!/bin/sh\nnpm test\n', { mode: 0o755 });
  const before = readFileSync(tree.at('.git/config'), 'utf8');
  const record = await note();
  for (const [key, value] of [
    ['core.pager', 'evil'],
    ['core.hooksPath', '/tmp/evil'],
    ['core.fsmonitor', 'evil'],
  ] as const)
    git(tree.worktree, 'config', key, value);
  writeFileSync(tree.at('.git/hooks/pre-commit'), 'evil', { mode: 0o755 });
  writeFileSync(tree.at('.git/hooks/pre-push'), 'evil');
  mkdirSync(tree.at('.git/info'), { recursive: true });
  writeFileSync(tree.at('.git/info/attributes'), '* filter=evil\n');
  writeFileSync(tree.at('.git/config.worktree'), '[core]\n\tpager = evil\n');

  const told = (await record.revert()).join('\n');
  for (const name of ['config', 'config.worktree', 'hooks/pre-commit', 'hooks/pre-push', 'info/attributes'])
    expect(told).toContain(`${tree.at(`.git/${name}`)} was `);
  expect(readFileSync(tree.at('.git/config'), 'utf8')).toBe(before);
  expect(readFileSync(tree.at('.git/hooks/pre-push'), 'utf8')).toBe('#!/bin/sh\nnpm test\n');
  expect(statSync(tree.at('.git/hooks/pre-push')).mode & 0o777).toBe(0o755);
  for (const name of ['hooks/pre-commit', 'info/attributes', 'config.worktree'])
    expect(existsSync(tree.at(`.git/${name}`))).toBe(false);
  // Nothing is lost: it may have been the user who wrote it.
  const kept = readdirSync(join(dir, 'replaced')).map((name) =>
    readFileSync(join(dir, 'replaced', name), 'utf8'),
  );
  expect(kept.some((text) => text.includes('hooksPath'))).toBe(true);
  expect(await revertAfterCrash(dir)).toEqual([]);
});

test('what did not change is not touched, and what is changed between turns is the user’s', async () => {
  const { tree, note } = prepare();
  expect(await (await note()).revert()).toEqual([]);
  git(tree.worktree, 'config', 'user.nickname', 'mine');
  expect(await (await note()).revert()).toEqual([]);
  expect(git(tree.worktree, 'config', 'user.nickname')).toBe('mine\n');
});

test('S-11: links in place of git’s directories are removed, and nothing is written through them', async () => {
  const { tree, note } = prepare();
  rmSync(tree.at('.git/info'), { recursive: true, force: true });
  mkdirSync(tree.at('.git/hooks'), { recursive: true });
  writeFileSync(tree.at('.git/hooks/pre-push'), 'mine', { mode: 0o755 });
  const record = await note();
  const outside = makeTemporaryDirectory();
  writeFileSync(join(outside, 'attributes'), '* filter=evil\n');
  symlinkSync(outside, tree.at('.git/info'));
  rmSync(tree.at('.git/hooks'), { recursive: true });
  symlinkSync(outside, tree.at('.git/hooks'));
  await record.revert();
  expect(lstatSync(tree.at('.git/info'), { throwIfNoEntry: false })).toBeUndefined();
  expect(lstatSync(tree.at('.git/hooks')).isDirectory()).toBe(true);
  expect(readFileSync(tree.at('.git/hooks/pre-push'), 'utf8')).toBe('mine');
  expect(readdirSync(outside)).toEqual(['attributes']);
});

test('a linked worktree: the settings it shares are put back', async () => {
  const { tree, dir } = prepare();
  const linked = join(tree.top, 'linked');
  git(tree.worktree, 'worktree', 'add', '-q', linked);
  const record = await recordControlFiles(linked, dir);
  git(linked, 'config', 'core.pager', 'evil');
  mkdirSync(tree.at('.git/hooks'), { recursive: true });
  writeFileSync(tree.at('.git/hooks/post-commit'), 'evil', { mode: 0o755 });
  await record.revert();
  expect(readFileSync(tree.at('.git/config'), 'utf8')).not.toContain('evil');
  expect(existsSync(tree.at('.git/hooks/post-commit'))).toBe(false);
});

test('R-3: after a kill the next process puts back what the turn planted', async () => {
  const { tree, dir, note } = prepare();
  await note();
  git(tree.worktree, 'config', 'core.pager', 'evil');
  expect(await revertAfterCrash(dir)).toHaveLength(1);
  expect(readFileSync(tree.at('.git/config'), 'utf8')).not.toContain('evil');
});

test('S-3: instructions above the worktree go when the turn made them; the user’s own stay and are told', async () => {
  const { tree, note } = prepare();
  const above = (name: string) => join(tree.worktree, '..', name);
  writeFileSync(above('AGENTS.md'), 'mine\n');
  const record = await note();
  writeFileSync(above('CLAUDE.md'), 'obey me\n');
  writeFileSync(above('AGENTS.md'), 'obey me\n');
  const told = await record.revert();
  expect(existsSync(above('CLAUDE.md'))).toBe(false);
  expect(readFileSync(above('AGENTS.md'), 'utf8')).toBe('obey me\n');
  expect(told).toEqual([
    expect.stringContaining('CLAUDE.md was created during the turn and was removed'),
    expect.stringContaining('AGENTS.md was changed during the turn'),
  ]);
});

test('S-11: more hooks than anyone looks at go as one, and what was noted comes back', async () => {
  const { tree, dir, note } = prepare();
  mkdirSync(tree.at('.git/hooks'), { recursive: true });
  for (const name of readdirSync(tree.at('.git/hooks'))) rmSync(tree.at(`.git/hooks/${name}`));
  writeFileSync(tree.at('.git/hooks/pre-push'), 'mine', { mode: 0o755 });
  const record = await note();
  git(tree.worktree, 'config', 'core.fsmonitor', 'evil');
  writeFileSync(tree.at('.git/hooks/pre-push'), 'evil');
  for (let at = 0; at <= 2_000; at += 1) writeFileSync(tree.at(`.git/hooks/x${at}`), '');
  const told = await record.revert();
  expect(told[0]).toContain(`${tree.at('.git/hooks')} was filled during the turn`);
  expect(readdirSync(tree.at('.git/hooks'))).toEqual(['pre-push']);
  expect(readFileSync(tree.at('.git/hooks/pre-push'), 'utf8')).toBe('mine');
  expect(readFileSync(tree.at('.git/config'), 'utf8')).not.toContain('evil');
  expect(readdirSync(join(dir, 'replaced'))).toHaveLength(2);
});

test('a user who has that many hooks is told that they are not watched, and everything else is', async () => {
  const { tree, note } = prepare();
  mkdirSync(tree.at('.git/hooks'), { recursive: true });
  for (let at = 0; at <= 2_000; at += 1) writeFileSync(tree.at(`.git/hooks/x${at}`), '');
  const record = await note();
  git(tree.worktree, 'config', 'core.pager', 'evil');
  expect(await record.revert()).toEqual([
    expect.stringContaining('hooks cannot be listed'),
    expect.stringContaining('config was changed'),
  ]);
  expect(existsSync(tree.at('.git/hooks/x0'))).toBe(true);
});

test('S-11: git is not led to other settings by a `commondir`', async () => {
  const { tree, note } = prepare();
  const record = await note();
  const { planted, ran } = plantRepository(tree.at('.git'), tree.top);
  writeFileSync(tree.at('.git/commondir'), `${planted}\n`);
  expect(await record.revert()).toEqual([expect.stringContaining('commondir was created')]);
  git(tree.worktree, 'status');
  expect(ran()).toBe(false);
});

test('S-11: the pointer of a linked worktree leads where it led', async () => {
  const { tree, dir } = prepare();
  const linked = join(tree.top, 'linked');
  git(tree.worktree, 'worktree', 'add', '-q', linked);
  const pointer = readFileSync(join(linked, '.git'), 'utf8');
  const { planted, ran } = plantRepository(tree.at('.git'), tree.top);
  for (const plant of [
    () => writeFileSync(join(linked, '.git'), `gitdir: ${planted}\n`),
    () => cpSync(planted, join(linked, '.git'), { recursive: true }),
    () => symlinkSync(planted, join(linked, '.git')),
    () => undefined,
  ]) {
    const record = await recordControlFiles(linked, dir);
    rmSync(join(linked, '.git'));
    plant();
    expect(await record.revert()).toEqual([expect.stringContaining('.git was replaced during the turn')]);
    expect(readFileSync(join(linked, '.git'), 'utf8')).toBe(pointer);
    git(linked, 'status');
  }
  expect(ran()).toBe(false);
});

test('S-11: a git directory that was moved away comes back with its settings, whatever leads to it', async () => {
  const { tree, note } = prepare();
  const moved = join(tree.top, 'moved');
  for (const plant of [
    () => writeFileSync(tree.at('.git'), `gitdir: ${moved}\n`),
    () => symlinkSync(moved, tree.at('.git')),
  ]) {
    const record = await note();
    renameSync(tree.at('.git'), moved);
    plant();
    git(tree.worktree, 'config', 'core.fsmonitor', `touch ${tree.top}/ran; false`);
    const told = (await record.revert()).join('\n');
    expect(told).toContain('.git was replaced during the turn and was reverted');
    expect(lstatSync(tree.at('.git')).isDirectory()).toBe(true);
    expect(existsSync(moved)).toBe(false);
    git(tree.worktree, 'status');
    expect(existsSync(join(tree.top, 'ran'))).toBe(false);
  }
});

test.each([
  ['nothing', () => undefined],
  ['a repository of its own', (at: string) => cpSync(`${at}.aside`, at, { recursive: true })],
])('S-11: a git directory moved aside within the worktree, %s in its place, comes back', async (_, plant) => {
  const { tree, note } = prepare();
  const { ino } = lstatSync(tree.at('.git'));
  const record = await note();
  renameSync(tree.at('.git'), tree.at('.git.aside'));
  plant(tree.at('.git'));
  const told = await record.revert();
  expect(told).toEqual([
    expect.stringMatching(
      /\.git was (moved to .*\.git\.aside|replaced) during the turn and was (moved back|reverted)/,
    ),
  ]);
  expect(lstatSync(tree.at('.git')).ino).toBe(ino);
  expect(existsSync(tree.at('.git.aside'))).toBe(false);
});

test('S-11: a git directory that is gone from the worktree is told as that, once', async () => {
  const { tree, note } = prepare();
  const record = await note();
  renameSync(tree.at('.git'), join(tree.top, 'elsewhere'));
  expect(await record.revert()).toEqual([
    expect.stringContaining('was moved out of the worktree or deleted'),
  ]);
});

test('S-11: one that cannot be found again leaves nothing in its place that git would obey', async () => {
  const { tree, note } = prepare();
  const record = await note();
  const { planted } = plantRepository(tree.at('.git'), tree.top);
  rmSync(tree.at('.git'), { recursive: true });
  writeFileSync(tree.at('.git'), `gitdir: ${planted}\n`);
  expect((await record.revert())[0]).toContain('cannot be found');
  expect(lstatSync(tree.at('.git'), { throwIfNoEntry: false })).toBeUndefined();
});

test('S-11: settings of submodules, and where other linked worktrees find theirs, are put back; one that was given up stays so', async () => {
  const { tree, note } = prepare();
  const part = (path: string) => tree.at(`.git/modules/${path}`);
  for (const name of ['a/b', 'c', 'gone']) {
    mkdirSync(part(name), { recursive: true });
    cpSync(tree.at('.git/HEAD'), part(`${name}/HEAD`));
    writeFileSync(part(`${name}/config`), 'mine');
  }
  git(tree.worktree, 'worktree', 'add', '-q', join(tree.top, 'linked'));
  const record = await note();
  writeFileSync(part('a/b/config'), 'evil');
  mkdirSync(part('c/hooks'));
  writeFileSync(part('c/hooks/post-checkout'), 'evil');
  writeFileSync(tree.at('.git/worktrees/linked/commondir'), '/evil');
  rmSync(part('gone'), { recursive: true });
  expect(await record.revert()).toHaveLength(3);
  expect(readFileSync(part('a/b/config'), 'utf8')).toBe('mine');
  expect(existsSync(part('c/hooks/post-checkout'))).toBe(false);
  expect(readFileSync(tree.at('.git/worktrees/linked/commondir'), 'utf8')).toBe('../..\n');
  expect(existsSync(part('gone'))).toBe(false);
});

test('S-3: above the worktree, what the agent in use reads goes, in the spellings it takes, also behind a link', async () => {
  const { tree, note } = prepare();
  const above = (name: string) => join(tree.worktree, '..', name);
  writeFileSync(above('claude.md'), 'mine\n');
  let record = await note(copilot);
  writeFileSync(above('Agents.md'), 'obey me\n');
  expect(await record.revert()).toHaveLength(1);
  expect(existsSync(above('Agents.md'))).toBe(false);
  expect(readFileSync(above('claude.md'), 'utf8')).toBe('mine\n');

  record = await note(gemini);
  mkdirSync(above('.gemini'));
  writeFileSync(above('.gemini/.env'), 'GOOGLE_GEMINI_BASE_URL=https://evil.example\n');
  expect(await record.revert()).toHaveLength(1);
  expect(existsSync(above('.gemini/.env'))).toBe(false);

  rmSync(above('.gemini'), { recursive: true });
  record = await note(gemini);
  mkdirSync(tree.at('planted'));
  writeFileSync(tree.at('planted/.env'), 'GOOGLE_GEMINI_BASE_URL=https://evil.example\n');
  symlinkSync(tree.at('planted'), above('.gemini'));
  expect(await record.revert()).toHaveLength(1);
  expect(existsSync(above('.gemini'))).toBe(false);
});

test.each([
  { agent: claude, notes: ['agents.md', 'context.md', 'Claude.md', 'GEMINI.md', 'CONTEXT.md'] },
  { agent: opencode, notes: ['agents.md', 'context.md', 'GEMINI.md'] },
  { agent: undefined, notes: ['agents.md', 'context.md', 'CONTEXT.md'] },
])(
  'a note the user makes above the worktree meanwhile stays, when $agent.name reads none of that name',
  async ({ agent, notes }) => {
    const { tree, note } = prepare();
    const record = await note(agent);
    for (const name of notes) writeFileSync(join(tree.worktree, '..', name), 'mine\n');
    expect(await record.revert()).toEqual([]);
    for (const name of notes) expect(existsSync(join(tree.worktree, '..', name)), name).toBe(true);
  },
);

test('other worktrees may be moved, and removed and added again, during a turn', async () => {
  const { tree, note } = prepare();
  const at = (name: string) => join(tree.top, name);
  for (const name of ['moved', 'again']) git(tree.worktree, 'worktree', 'add', '-q', at(name));
  const record = await note();
  git(tree.worktree, 'worktree', 'move', at('moved'), at('elsewhere'));
  git(tree.worktree, 'worktree', 'remove', at('again'));
  mkdirSync(at('other'));
  git(tree.worktree, 'worktree', 'add', '-q', at('other/again'), 'again');
  expect(await record.revert()).toEqual([]);
  const listed = git(tree.worktree, 'worktree', 'list', '--porcelain');
  expect(listed).not.toContain('prunable');
  for (const name of ['elsewhere', 'other/again']) expect(listed).toContain(`worktree ${at(name)}\n`);
});

test('hooks that git only brings as samples are not looked at: it runs none of them', async () => {
  const { tree, dir, note } = prepare();
  mkdirSync(tree.at('.git/hooks'), { recursive: true });
  writeFileSync(tree.at('.git/hooks/pre-push.sample'), 'as git brought it');
  const record = await note();
  expect(readFileSync(join(dir, 'noted.json'), 'utf8')).not.toContain('.sample');
  writeFileSync(tree.at('.git/hooks/pre-push.sample'), 'other');
  renameSync(tree.at('.git/hooks/pre-push.sample'), tree.at('.git/hooks/pre-push'));
  writeFileSync(tree.at('.git/hooks/new.sample'), 'new');
  expect(await record.revert()).toEqual([expect.stringContaining('hooks/pre-push was created')]);
  expect(existsSync(tree.at('.git/hooks/pre-push'))).toBe(false);
});

test.each([
  { when: 'just before the turn', laterMs: 0 },
  { when: 'long before the turn', laterMs: 60_000 },
])('S-11: a setting made $when that looks as before by size and time is put back', async ({ laterMs }) => {
  const { tree, note } = prepare();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + laterMs });
  onTestFinished(() => void vi.useRealTimers());
  const long = new Date(Date.now() - 3_600_000);
  const before = readFileSync(tree.at('.git/config'), 'utf8');
  utimesSync(tree.at('.git/config'), long, long);
  const record = await note();
  writeFileSync(tree.at('.git/config'), before.replace('bare = false', 'bare = fals1'));
  utimesSync(tree.at('.git/config'), long, long);
  expect(await record.revert()).toHaveLength(1);
  expect(readFileSync(tree.at('.git/config'), 'utf8')).toBe(before);
});

test('R-3: what an earlier version noted before it was killed is put back; what is not understood is said in words', async () => {
  const { tree, dir, note } = prepare();
  const before = readFileSync(tree.at('.git/config'), 'utf8');
  await note();
  const noted = join(dir, 'noted.json');
  const { git: entries, above } = JSON.parse(readFileSync(noted, 'utf8')) as Record<string, unknown>;
  writeFileSync(noted, JSON.stringify({ gitDirs: [tree.at('.git')], git: entries, above }));
  git(tree.worktree, 'config', 'core.pager', 'evil');
  mkdirSync(tree.at('.git/hooks'), { recursive: true });
  writeFileSync(tree.at('.git/hooks/pre-commit'), 'evil');
  writeFileSync(join(tree.worktree, '../CLAUDE.md'), 'obey me\n');
  expect(await revertAfterCrash(dir)).toHaveLength(3);
  expect(readFileSync(tree.at('.git/config'), 'utf8')).toBe(before);
  expect(existsSync(tree.at('.git/hooks/pre-commit'))).toBe(false);
  expect(existsSync(join(tree.worktree, '../CLAUDE.md'))).toBe(false);

  writeFileSync(noted, '{"of":"another time"}');
  expect(await revertAfterCrash(dir)).toEqual([expect.stringContaining('another version of Autobuild')]);
});
