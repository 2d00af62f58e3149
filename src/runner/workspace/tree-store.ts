import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectories } from '../disk/inside-directory.ts';
import { parseTree, parseTreeDiff, type RawChange, type TreeEntry } from './tree-diff.ts';
import type { TrustedGit } from './trusted-git.ts';

/** The object name of a tree in the trusted git directory. */
export type Tree = string & { readonly __brand: 'Tree' };

/** Git's own comparison only, with the index and not with the worktree. */
export const DIFF_OPTIONS = [
  '--cached',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--ignore-submodules=all',
] as const;

/** Writes, reads and compares trees of the trusted git directory. */
export class TreeStore {
  readonly #git: TrustedGit;

  constructor(git: TrustedGit) {
    this.#git = git;
  }

  async write(indexFile?: string): Promise<Tree> {
    return (await this.#git.run(['write-tree'], { indexFile })).text.toString('utf8').trim() as Tree;
  }

  async read(tree: Tree): Promise<Map<string, TreeEntry>> {
    return parseTree((await this.#git.run(['ls-tree', '-r', '-z', '--full-tree', tree])).text);
  }

  async compareIndex(tree: Tree): Promise<RawChange[]> {
    const args = ['diff-index', '--raw', '--no-abbrev', '-z', ...DIFF_OPTIONS, tree];
    return parseTreeDiff((await this.#git.run(args)).text).raw;
  }

  async compareTrees(from: Tree, to: Tree): Promise<RawChange[]> {
    const args = ['diff-tree', '-r', '--raw', '--no-abbrev', '-z', '--no-renames', from, to];
    return parseTreeDiff((await this.#git.run(args)).text).raw;
  }

  /** Returns the tree with the new side of each change applied. */
  async amend(tree: Tree, changes: readonly RawChange[]): Promise<Tree> {
    if (changes.length === 0) return tree;
    const indexFile = join(this.#git.gitDir, 'index.amend');
    await this.#git.run(['read-tree', tree], { indexFile });
    const gone = changes.filter((change) => change.status === 'D');
    const there = changes.filter((change) => change.status !== 'D');
    const input = [
      ...gone.map((change) => `0 ${'0'.repeat(40)}\t${change.name}\0`),
      ...there.map((change) => `${change.newMode} ${change.newId}\t${change.name}\0`),
    ].join('');
    await this.#git.run(['update-index', '--add', '--replace', '-z', '--index-info'], { indexFile, input });
    const amended = await this.write(indexFile);
    await rm(indexFile, { force: true });
    return amended;
  }

  /**
   * Writes the entries into the worktree. Without `force`, an entry is not written if one of its parents is a symlink or a file.
   * Returns the paths that were not written, and why.
   */
  async checkOut(wanted: Map<string, TreeEntry>, { force = false } = {}): Promise<Map<string, string>> {
    const failed = new Map<string, string>();
    for (const path of force ? [] : wanted.keys()) {
      await makeDirectories(this.#git.worktree, dirname(path)).catch((error: Error) =>
        failed.set(path, error.message),
      );
    }
    const paths = [...wanted].filter(([path]) => !failed.has(path));
    if (paths.length === 0) return failed;
    const indexFile = join(this.#git.gitDir, 'index.restore');
    const input = paths.map(([path, entry]) => `${entry.mode} ${entry.id}\t${path}\0`).join('');
    try {
      await rm(indexFile, { force: true });
      await this.#git.run(['update-index', '--add', '-z', '--index-info'], { indexFile, input });
      await this.#git.run(['checkout-index', '--force', '--all'], { indexFile });
    } catch (error) {
      for (const [path] of paths) failed.set(path, (error as Error).message);
    } finally {
      await rm(indexFile, { force: true });
    }
    return failed;
  }
}
