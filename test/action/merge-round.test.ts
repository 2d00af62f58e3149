import { expect, test } from 'vitest';
import { mergeRound } from '../../src/action/merge-round.ts';
import type { Changeset } from '../../src/core/work/changeset.ts';
import { applyChangeset } from '../../src/runner/workspace/apply-changeset.ts';
import { openRepositoryObjects } from '../../src/runner/workspace/repository-objects.ts';
import { git, makeWorktree } from '../runner/temporary-worktree.ts';

const BASE = 'b'.repeat(40);
const content = (text: string) =>
  ({ mode: '100644', content: Buffer.from(text).toString('base64') }) as const;
const FILES = { 'a.txt': 'theirs\n', 'dropped.txt': 'as before\n' };
const FIRST: Changeset = {
  ...{ base_sha: BASE, files: [], left_out: [] },
  merge: {
    added: [],
    files: [
      { path: 'a.txt', head: content('ours\n'), before: content('before\n') },
      { path: 'dropped.txt', head: content('changed by the pull request\n') },
      { path: 'ours.txt', head: content('ours\n') },
    ],
  },
};

interface Checkout {
  /** Files that are committed although git ignores them. */
  ignored?: Record<string, string>;
  /** Written by set-up steps of the job. */
  setUp?: Record<string, string>;
}

/** A job on a fresh checkout of the base, with the work that the desk has. */
async function begin(saved: Changeset, { ignored = {}, setUp = {} }: Checkout = {}) {
  const tree = makeWorktree(FILES);
  for (const [path, text] of Object.entries(ignored)) {
    tree.write('.gitignore', 'out\n');
    tree.write(path, text);
    git(tree.worktree, 'add', '-f', path, '.gitignore');
    git(tree.worktree, 'commit', '-q', '-m', 'ignored and committed');
  }
  for (const [path, text] of Object.entries(setUp)) tree.write(path, text);
  const workspace = await tree.open();
  const link = { getBlob: async () => Buffer.from(JSON.stringify(saved)) };
  const head = openRepositoryObjects(tree.worktree, process.env.PATH);
  const objects = { ...head, list: (_: string, paths: readonly string[]) => head.list('HEAD', paths) };
  const merge = await mergeRound(workspace, objects, link, BASE);
  await merge?.settle();
  await applyChangeset(tree.worktree, saved, BASE);
  return { tree, workspace, merge };
}

const names = ({ files }: Changeset) => files.map(({ path }) => path);

test('V-6: a job that takes over has the merge and the work of the one before, and counts only the agent’s', async () => {
  const first = await begin(FIRST);
  expect(first.merge?.conflicts).toEqual(['a.txt']);
  expect(first.tree.read('a.txt')).toContain('<<<<<<< pull-request');
  expect(first.tree.read('ours.txt')).toBe('ours\n');
  expect(await first.workspace.changedPaths()).toEqual([]);
  first.tree.write('a.txt', 'ours\ntheirs\n');
  first.tree.write('dropped.txt', 'as before\n');
  const saved = await first.merge?.changeset();
  // The file that has the base's content again is no change of the base.
  expect(saved && names(saved)).toEqual(['a.txt', 'ours.txt']);
  const second = await begin(saved as Changeset);
  expect(second.tree.read('a.txt')).toBe('ours\ntheirs\n');
  expect(second.tree.read('dropped.txt')).toBe('as before\n');
  expect(await second.workspace.changedPaths()).toEqual(['a.txt', 'dropped.txt']);
  expect(await second.merge?.changeset()).toEqual(saved);
});

test('V-6: every other round has nothing to merge', async () => {
  const { merge } = await begin({ base_sha: BASE, files: [], left_out: [] });
  expect(merge).toBeUndefined();
});

const LINES = 'one\ntwo\nthree\nfour\nfive\n';
const textOf = (changeset: Changeset | undefined, path: string) =>
  Buffer.from(changeset?.files.find((file) => file.path === path)?.content ?? '', 'base64').toString();
const bothIn = (path: string, head: string): Changeset => ({
  ...{ base_sha: BASE, files: [], left_out: [] },
  merge: { added: [], files: [{ path, head: content(head), before: content(LINES) }] },
});

test('V-6: a file that is committed although git ignores it is merged like any other', async () => {
  const ignored = { 'out/kept.txt': LINES.replace('one', 'ONE') };
  const { merge } = await begin(bothIn('out/kept.txt', LINES.replace('five', 'FIVE')), { ignored });
  expect(merge?.conflicts).toEqual([]);
  expect(textOf(await merge?.changeset(), 'out/kept.txt')).toBe('ONE\ntwo\nthree\nfour\nFIVE\n');
});

test('V-6: the agent resolves a conflict in such a file, too', async () => {
  const ignored = { 'out/kept.txt': LINES.replace('one', 'theirs') };
  const { merge, tree, workspace } = await begin(bothIn('out/kept.txt', LINES.replace('one', 'ours')), {
    ignored,
  });
  expect(merge?.conflicts).toEqual(['out/kept.txt']);
  expect(tree.read('out/kept.txt')).toContain('ours\n');
  expect(tree.read('out/kept.txt')).toContain('theirs\n');
  tree.write('out/kept.txt', 'both\n');
  expect(await workspace.changedPaths()).toEqual(['out/kept.txt']);
  expect(textOf(await merge?.changeset(), 'out/kept.txt')).toBe('both\n');
});

test('V-6: what set-up steps wrote into a file is not merged into the pull request', async () => {
  const setUp = { 'a.txt': 'theirs\nwritten by a set-up step\n' };
  const files = [{ path: 'a.txt', head: content('as before\n'), before: content('as before\n') }];
  const saved = { base_sha: BASE, files: [], left_out: [], merge: { added: [], files } };
  const { merge, tree } = await begin(saved, { setUp });
  expect(merge?.conflicts).toEqual([]);
  expect(tree.read('a.txt')).toBe('theirs\n');
  expect((await merge?.changeset())?.files).toEqual([]);
});
