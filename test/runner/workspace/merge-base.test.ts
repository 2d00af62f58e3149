import { describe, expect, test } from 'vitest';
import type { BaseMerge } from '../../../src/core/work/base-merge.ts';
import { makeMergedChangeset } from '../../../src/runner/workspace/make-merged-changeset.ts';
import { makeWorktree } from '../temporary-worktree.ts';

const BASE = 'b'.repeat(40);
const content = (text: string, mode: '100644' | '100755' = '100644') => ({
  mode,
  content: Buffer.from(text).toString('base64'),
});
const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';

/** Merges into a checkout of the base, as a job does, and gives what is to be committed on top of the base. */
async function merge(base: Record<string, string>, parts: BaseMerge) {
  const tree = makeWorktree(base);
  const workspace = await tree.open();
  const before = workspace.base();
  const { tree: merged, conflicts } = await workspace.merge(parts);
  await workspace.restoreTree(merged);
  await workspace.setBase(await workspace.snapshot());
  const changeset = async () => {
    const { files, left_out } = await makeMergedChangeset(workspace, BASE, { base: before, merged });
    expect(left_out).toEqual([]);
    return Object.fromEntries(
      files.map((file) => [file.path, file.content && Buffer.from(file.content, 'base64').toString()]),
    );
  };
  return { tree, workspace, conflicts, changeset };
}

describe('V-6: the base merged into a pull request, by git', () => {
  test('what only one side changed is taken, and both sides of one file are joined', async () => {
    const { conflicts, changeset, tree } = await merge(
      { 'both.txt': LINES.replace('one', 'ONE'), 'of-main.txt': 'new\n', 'gone.txt': 'old\n' },
      {
        added: ['of-main.txt'],
        files: [
          { path: 'both.txt', head: content(LINES.replace('seven', 'SEVEN')), before: content(LINES) },
          { path: 'ours.sh', head: content('#!/bin/sh\n', '100755') },
          { path: 'gone.txt', head: null },
        ],
      },
    );
    expect(conflicts).toEqual([]);
    expect(tree.read('of-main.txt')).toBe('new\n');
    expect(await changeset()).toEqual({
      'both.txt': LINES.replace('one', 'ONE').replace('seven', 'SEVEN'),
      'gone.txt': null,
      'ours.sh': '#!/bin/sh\n',
    });
  });

  test('a conflict has markers with both sides and what was there before', async () => {
    const { conflicts, tree } = await merge(
      { 'a.txt': 'theirs\n' },
      { added: [], files: [{ path: 'a.txt', head: content('ours\n'), before: content('before\n') }] },
    );
    expect(conflicts).toEqual(['a.txt']);
    expect(tree.read('a.txt').replace(/^\|{7} .*$/m, '|||||||')).toBe(
      '<<<<<<< pull-request\nours\n|||||||\nbefore\n=======\ntheirs\n>>>>>>> base-branch\n',
    );
  });

  test('a file that the base renamed gets the change of the pull request', async () => {
    const { conflicts, changeset } = await merge(
      { 'new-name.txt': LINES },
      {
        added: ['new-name.txt'],
        files: [
          { path: 'old-name.txt', head: content(LINES.replace('four', 'FOUR')), before: content(LINES) },
        ],
      },
    );
    expect(conflicts).toEqual([]);
    expect(await changeset()).toEqual({ 'new-name.txt': LINES.replace('four', 'FOUR') });
  });

  test('a file that one side deleted and the other changed conflicts', async () => {
    const { conflicts } = await merge(
      { 'a.txt': 'changed\n' },
      { added: [], files: [{ path: 'a.txt', head: null, before: content('before\n') }] },
    );
    expect(conflicts).toEqual(['a.txt']);
  });

  test('only what differs from the merge is the agent’s; what the checks wrote is in no changeset', async () => {
    const parts = { added: [], files: [{ path: 'ours.txt', head: content('ours\n') }] };
    const { tree, workspace, changeset } = await merge({ 'a.txt': 'a\n', '.gitignore': 'out\n' }, parts);
    expect(await workspace.changedPaths()).toEqual([]);
    const before = await workspace.snapshot();
    tree.write('coverage.txt', '80 %\n');
    tree.write('ours.txt', 'written by a check\n');
    await workspace.absorb(before, await workspace.snapshot());
    tree.write('a.txt', 'by the agent\n');
    expect(await workspace.changedPaths()).toEqual(['a.txt']);
    expect(await changeset()).toEqual({ 'a.txt': 'by the agent\n', 'ours.txt': 'ours\n' });
  });

  test('a file of the pull request that git ignores is not deleted by the merge', async () => {
    const parts = { added: [], files: [{ path: 'out/kept.txt', head: content('kept\n') }] };
    const { workspace, changeset } = await merge({ '.gitignore': 'out\n' }, parts);
    expect(await workspace.changedPaths()).toEqual([]);
    expect(await changeset()).toEqual({ 'out/kept.txt': 'kept\n' });
  });
});
