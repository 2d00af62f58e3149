import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noteSurroundings, putBackNoted } from '../../src/runner/surroundings.ts';
import { git, makeTemporaryDirectory, makeWorktree } from './temporary-worktree.ts';

function prepare() {
  const tree = makeWorktree({ 'a.txt': 'a\n' });
  const dir = join(tree.top, 'kept');
  return { tree, dir, note: () => noteSurroundings(tree.worktree, dir) };
}

test('S-11: hooks and settings of git that a run plants do not outlive its turn, and the user is told', async () => {
  const { tree, dir, note } = prepare();
  mkdirSync(tree.at('.git/hooks'), { recursive: true });
  writeFileSync(tree.at('.git/hooks/pre-push'), '#!/bin/sh\nnpm test\n', { mode: 0o755 });
  const before = readFileSync(tree.at('.git/config'), 'utf8');
  const around = await note();
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

  const told = (await around.putBack()).join('\n');
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
  expect(await putBackNoted(dir)).toEqual([]);
});

test('what did not change is not touched, and what is changed between turns is the user’s', async () => {
  const { tree, note } = prepare();
  expect(await (await note()).putBack()).toEqual([]);
  git(tree.worktree, 'config', 'user.nickname', 'mine');
  expect(await (await note()).putBack()).toEqual([]);
  expect(git(tree.worktree, 'config', 'user.nickname')).toBe('mine\n');
});

test('S-11: links in place of git’s directories are removed, and nothing is written through them', async () => {
  const { tree, note } = prepare();
  rmSync(tree.at('.git/info'), { recursive: true, force: true });
  mkdirSync(tree.at('.git/hooks'), { recursive: true });
  writeFileSync(tree.at('.git/hooks/pre-push'), 'mine', { mode: 0o755 });
  const around = await note();
  const outside = makeTemporaryDirectory();
  writeFileSync(join(outside, 'attributes'), '* filter=evil\n');
  symlinkSync(outside, tree.at('.git/info'));
  rmSync(tree.at('.git/hooks'), { recursive: true });
  symlinkSync(outside, tree.at('.git/hooks'));
  await around.putBack();
  expect(lstatSync(tree.at('.git/info'), { throwIfNoEntry: false })).toBeUndefined();
  expect(lstatSync(tree.at('.git/hooks')).isDirectory()).toBe(true);
  expect(readFileSync(tree.at('.git/hooks/pre-push'), 'utf8')).toBe('mine');
  expect(readdirSync(outside)).toEqual(['attributes']);
});

test('a linked worktree: the settings it shares are put back', async () => {
  const { tree, dir } = prepare();
  const linked = join(tree.top, 'linked');
  git(tree.worktree, 'worktree', 'add', '-q', linked);
  const around = await noteSurroundings(linked, dir);
  git(linked, 'config', 'core.pager', 'evil');
  mkdirSync(tree.at('.git/hooks'), { recursive: true });
  writeFileSync(tree.at('.git/hooks/post-commit'), 'evil', { mode: 0o755 });
  await around.putBack();
  expect(readFileSync(tree.at('.git/config'), 'utf8')).not.toContain('evil');
  expect(existsSync(tree.at('.git/hooks/post-commit'))).toBe(false);
});

test('R-3: after a kill the next process puts back what the turn planted', async () => {
  const { tree, dir, note } = prepare();
  await note();
  git(tree.worktree, 'config', 'core.pager', 'evil');
  expect(await putBackNoted(dir)).toHaveLength(1);
  expect(readFileSync(tree.at('.git/config'), 'utf8')).not.toContain('evil');
});

test('S-3: instructions above the worktree go when the turn made them; the user’s own stay and are told', async () => {
  const { tree, note } = prepare();
  const above = (name: string) => join(tree.worktree, '..', name);
  writeFileSync(above('AGENTS.md'), 'mine\n');
  const around = await note();
  writeFileSync(above('CLAUDE.md'), 'obey me\n');
  writeFileSync(above('AGENTS.md'), 'obey me\n');
  const told = await around.putBack();
  expect(existsSync(above('CLAUDE.md'))).toBe(false);
  expect(readFileSync(above('AGENTS.md'), 'utf8')).toBe('obey me\n');
  expect(told).toEqual([
    expect.stringContaining('CLAUDE.md was made during the turn and is removed'),
    expect.stringContaining('AGENTS.md was changed during the turn'),
  ]);
});

test('a git directory that is gone is told, never a crash', async () => {
  const { tree, note } = prepare();
  const around = await note();
  rmSync(tree.at('.git'), { recursive: true });
  expect(await around.putBack()).toEqual([expect.stringContaining('is not the directory it was')]);
});
