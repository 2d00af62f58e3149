import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BaseMerge } from '../../../src/core/work/base-merge.ts';
import { unresolvedIn } from '../../../src/core/work/judge-merge.ts';
import { makeMergedChangeset } from '../../../src/runner/workspace/make-merged-changeset.ts';
import { git, makeWorktree, type TemporaryWorktree } from '../temporary-worktree.ts';

const BASE = 'b'.repeat(40);
const content = (text: string, mode: '100644' | '100755' = '100644') => ({
  mode,
  content: Buffer.from(text).toString('base64'),
});
const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';

/** Settings of the user's repository that would run programs, if they were read. */
function plant({ worktree, write, top }: TemporaryWorktree): void {
  const touch = `touch ${join(top, 'made-by-git')}`;
  for (const setting of [
    'merge.evil.driver',
    'filter.evil.clean',
    'filter.evil.smudge',
    'core.fsmonitor',
    'merge.tool',
  ])
    git(worktree, 'config', setting, touch);
  for (const hook of ['reference-transaction', 'post-index-change', 'pre-merge-commit', 'post-checkout']) {
    write(`.git/hooks/${hook}`, `#!/bin/sh\n${touch}\n`);
    chmodSync(join(worktree, '.git/hooks', hook), 0o755);
  }
}

/** Merges into a checkout of the base, as a job does, and gives what is to be committed on top of the base. */
async function merge(base: Record<string, string>, parts: BaseMerge, { evil = false } = {}) {
  const tree = makeWorktree(base);
  if (evil) plant(tree);
  const workspace = await tree.open();
  const before = workspace.base();
  const { tree: merged, conflicts } = await workspace.merge(parts, []);
  await workspace.restoreTree(merged);
  await workspace.setBase(await workspace.snapshot());
  const changeset = async () => {
    const { files, left_out } = await makeMergedChangeset(workspace, BASE, { base: before, merged });
    expect(left_out).toEqual([]);
    return Object.fromEntries(
      files.map((file) => [file.path, file.content && Buffer.from(file.content, 'base64').toString()]),
    );
  };
  return { tree, workspace, conflicts, changeset, before, merged };
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

  test('no attribute, driver, filter or hook of the repository has a say, and line ends stay', async () => {
    const { conflicts, tree } = await merge(
      {
        '.gitattributes': '* merge=evil filter=evil -diff conflict-marker-size=20 eol=crlf text ident\n',
        '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ext::touch made-by-git\n',
        'a.txt': '1 theirs $Id$\r\n2\r\n',
      },
      {
        added: [],
        files: [{ path: 'a.txt', head: content('1 ours $Id$\r\n2\r\n'), before: content('1\r\n2\r\n') }],
      },
      { evil: true },
    );
    expect(conflicts).toEqual(['a.txt']);
    expect(tree.read('a.txt').replace(/^\|{7} .*$/m, '|||||||')).toBe(
      '<<<<<<< pull-request\r\n1 ours $Id$\r\n|||||||\r\n1\r\n=======\r\n1 theirs $Id$\r\n>>>>>>> base-branch\r\n2\r\n',
    );
    expect(existsSync(join(tree.top, 'made-by-git'))).toBe(false);
    expect(existsSync(tree.at('made-by-git'))).toBe(false);
  });

  test('a mode that one side changed stays changed, with the content of the other', async () => {
    const { conflicts, workspace, before, merged } = await merge(
      { 'a.sh': 'theirs\n' },
      {
        added: [],
        files: [{ path: 'a.sh', head: content('before\n', '100755'), before: content('before\n') }],
      },
    );
    expect(conflicts).toEqual([]);
    const { files } = await makeMergedChangeset(workspace, BASE, { base: before, merged });
    expect(files).toEqual([{ path: 'a.sh', status: 'modified', ...content('theirs\n', '100755') }]);
  });

  test('bytes that are no text are as one side has them, and conflict', async () => {
    const { conflicts, tree } = await merge(
      { 'x.bin': 'theirs\0' },
      { added: [], files: [{ path: 'x.bin', head: content('ours\0'), before: content('before\0') }] },
    );
    expect(conflicts).toEqual(['x.bin']);
    expect(tree.read('x.bin')).toBe('ours\0');
  });

  test.each([
    [
      'a file',
      'a/b.txt',
      { path: 'a', head: content('ours\n'), before: content('before\n') },
      'a~pull-request',
    ],
    ['a directory', 'a', { path: 'a/b.txt', head: content('ours\n') }, 'a~base-branch'],
  ] as const)(
    '%s of the pull request in the place of the other kind is put beside it, and left there counts as unresolved',
    async (_, path, file, beside) => {
      const { conflicts, changeset } = await merge({ [path]: 'theirs\n' }, { added: [path], files: [file] });
      expect(conflicts).toEqual([beside]);
      const files = Object.entries(await changeset()).map(([name, text]) => ({
        path: name,
        content: text && btoa(text),
      }));
      expect(unresolvedIn(files)).toEqual([beside]);
      expect(
        unresolvedIn([
          { path: 'a~base-branch.txt', content: '' },
          { path: beside, content: null },
        ]),
      ).toEqual([]);
    },
  );
});
