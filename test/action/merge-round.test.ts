import { expect, test } from 'vitest';
import { mergeRound } from '../../src/action/merge-round.ts';
import type { Changeset } from '../../src/core/work/changeset.ts';
import { applyChangeset } from '../../src/runner/workspace/apply-changeset.ts';
import { makeWorktree } from '../runner/temporary-worktree.ts';

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

/** A job on a fresh checkout of the base, with the work that the desk has. */
async function begin(saved: Changeset) {
  const tree = makeWorktree(FILES);
  const workspace = await tree.open();
  const link = { getBlob: async () => Buffer.from(JSON.stringify(saved)) };
  const merge = await mergeRound(workspace, link, BASE);
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
