import { type BaseMerge, SIDES } from '../../core/work/base-merge.ts';
import type { RawChange } from './tree-diff.ts';
import { splitNul } from './tree-diff.ts';
import type { Tree, TreeStore } from './tree-store.ts';
import type { TrustedGit } from './trusted-git.ts';

const ZERO = '0'.repeat(40);
/** Commits need an author, and nobody sees these. The markers show both sides and what was there before. */
const SETTINGS = [
  'user.name=autobuild',
  'user.email=autobuild@localhost',
  'merge.conflictStyle=diff3',
  'merge.renames=true',
  // Every deleted file is compared with every added one, and a base may have added any number: 4 s for 4 million pairs.
  'merge.renameLimit=2000',
  'commit.gpgSign=false',
];
const MARKED = 1;

/** A file of the base as it was committed. */
export interface CommittedFile {
  path: string;
  mode: string;
  bytes: Buffer;
}

/** The result of a merge. Files that conflict have markers where git could write any. */
export interface MergedTree {
  /** The base that was merged. */
  base: Tree;
  tree: Tree;
  conflicts: string[];
}

/**
 * V-6: merges the base into the pull request as git does, renamed files included. The tree of the base is at hand; of the other
 * two only the files that matter are known. A file that only the base has changed is the same in all three, and cannot conflict.
 * `committed` are files that both sides have changed: a tree of the worktree lacks those that git ignores, and has what set-up
 * steps wrote into others.
 */
export async function mergeBase(
  git: TrustedGit,
  trees: TreeStore,
  worktree: Tree,
  { added, files }: BaseMerge,
  committed: readonly CommittedFile[],
): Promise<MergedTree> {
  if (!git.canPackMany) throw new Error('Merging needs git 2.38 or newer on the machine of the job.');
  const store = async (input: Buffer) =>
    (await git.run(['hash-object', '-w', '--stdin'], { input })).text.toString('utf8').trim();
  const put = (path: string, newMode: string, newId: string): RawChange => ({
    ...{ name: path, status: newId === ZERO ? 'D' : 'M', oldMode: '', oldId: '', newMode, newId },
  });
  const change = async (path: string, file: BaseMerge['files'][number]['head']): Promise<RawChange> =>
    put(path, file?.mode ?? '', file ? await store(Buffer.from(file.content, 'base64')) : ZERO);
  const asCommitted: RawChange[] = [];
  for (const { path, mode, bytes } of committed) asCommitted.push(put(path, mode, await store(bytes)));
  const base = await trees.amend(worktree, asCommitted);
  const before: RawChange[] = await Promise.all(added.map((path) => change(path, null)));
  const head: RawChange[] = [];
  for (const file of files) {
    if (file.before !== undefined) before.push(await change(file.path, file.before));
    head.push(await change(file.path, file.head));
  }
  const ancestor = await trees.amend(base, before);
  const commit = async (tree: Tree, ...parents: string[]) => {
    const args = ['commit-tree', '-m', 'merge', ...parents.flatMap((parent) => ['-p', parent]), tree];
    return (await git.run(args, { settings: SETTINGS })).text.toString('utf8').trim();
  };
  const first = await commit(ancestor);
  const sides = {
    [SIDES.head]: await commit(await trees.amend(ancestor, head), first),
    [SIDES.base]: await commit(base, first),
  };
  for (const [name, sha] of Object.entries(sides)) await git.run(['update-ref', `refs/heads/${name}`, sha]);
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', SIDES.head, SIDES.base];
  const { text } = await git.run(args, { settings: SETTINGS, accept: MARKED });
  const [tree = '', ...conflicts] = splitNul(text);
  return { base, tree: tree as Tree, conflicts: [...new Set(conflicts)] };
}
