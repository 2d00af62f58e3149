import { mkdir, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { BaseMerge } from '../../core/work/base-merge.ts';
import type { Change, SetAside } from '../../core/work/change.ts';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { isInside, resolveLinks } from '../disk/inside-directory.ts';
import { BaseTree } from './base-tree.ts';
import { compareText, listChanges } from './list-changes.ts';
import { type CommittedFile, type MergedTree, mergeBase } from './merge-base.ts';
import { renderDiff, renderPatch } from './render-diff.ts';
import { restoreTree } from './restore-tree.ts';
import { restoreReverted, revertPaths } from './revert-paths.ts';
import { openStandInNames, type StandInNames } from './stand-in.ts';
import type { RawChange } from './tree-diff.ts';
import { type Tree, TreeStore } from './tree-store.ts';
import { openTrustedGit, type TrustedGit } from './trusted-git.ts';
import { rememberUserExcludes } from './user-excludes.ts';
import { WorktreeComparer } from './worktree-comparer.ts';
import { assertWorktree, recreateWorktree } from './worktree-gone.ts';
import { WorktreeIndex } from './worktree-index.ts';

/** The content of larger files is not stored. They are compared by size and time. */
const MAX_CONTENT_BYTES = 40 * 1024 * 1024;
const MAX_DIFF_BYTES = 256 * 1024;

/** The agent's files, compared with a base by a git directory that the agent cannot write. */
export interface Workspace {
  readonly worktree: string;
  /** The current worktree without ignored files. */
  snapshot(): Promise<Tree>;
  /** The paths of a tree. */
  list(tree: Tree): Promise<string[]>;
  /** The tree that the agent's changes are measured against: at first the worktree when it was opened. Survives a restart. */
  base(): Tree;
  setBase(tree: Tree): Promise<void>;
  /** The changes against the base, or against another tree. */
  changes(tree?: Tree): Promise<Change[]>;
  /** The same paths as `changes()`, cheap enough to poll. */
  changedPaths(): Promise<string[]>;
  /** Counts the changes between the two trees as not the agent's, except at paths the agent had changed before. */
  absorb(before: Tree, after: Tree): Promise<void>;
  /** Gives the paths the content of the base or another tree. Their current content is moved to `asideDir`. */
  revert(paths: readonly string[], asideDir: string, tree?: Tree): Promise<SetAside[]>;
  differs(path: string, tree: Tree): Promise<boolean>;
  /** The paths at which the worktree differs from the tree. */
  changedSince(tree: Tree): Promise<string[]>;
  /** The pipes, sockets and devices that git does not ignore. They are in no tree, and `revert` removes them. */
  special(): Promise<string[]>;
  /** Undoes `revert`, except at paths that were written again since. Returns the restored paths. */
  restoreAside(items: readonly SetAside[]): Promise<string[]>;
  /** Makes the worktree equal to the tree, except for ignored files. Returns the paths that could not be restored. */
  restoreTree(tree: Tree): Promise<string[]>;
  /** Merges a pull request with the base, without touching the worktree. */
  merge(parts: BaseMerge, committed: readonly CommittedFile[]): Promise<MergedTree>;
  /** Measures these files from now on, also if git ignores them. */
  track(paths: readonly string[]): Promise<void>;
  /** The changes of the second tree against the first, with those of the worktree against the base on top. */
  combine(from: Tree, to: Tree): Promise<CombinedChange[]>;
  /** The patch from the base, or another tree, to the worktree. */
  diff(paths?: readonly string[], maxBytes?: number, tree?: Tree): Promise<{ text: string; cut: boolean }>;
  /** For `git apply`: binary files too, and every byte as it is. */
  patch(maxBytes: number, tree: Tree): Promise<{ bytes: Buffer; cut: boolean }>;
}

interface CombinedChange extends Pick<Change, 'path' | 'mode' | 'status'> {
  /** Undefined if it has more bytes. */
  read(maxBytes: number): Promise<Buffer | undefined>;
}

export async function openWorkspace(options: {
  worktree: string;
  /** Outside the worktree. Created if missing; an existing one keeps its base. */
  gitDir: string;
  /** Relative to the worktree. Never part of a change. */
  stateDir: string;
  maxContentBytes?: number;
  /** The `PATH` on which git is found. */
  path?: string;
}): Promise<Workspace> {
  const worktree = await realpath(options.worktree).catch(() => resolve(options.worktree));
  const gitDir = await makeGitDir(worktree, options.gitDir);
  const stateDir = checkWorktreePath(options.stateDir);
  if (!stateDir.ok) throw new Error(`state_dir ${JSON.stringify(options.stateDir)}: ${stateDir.problem}.`);
  const exclude = [...(await rememberUserExcludes(worktree, gitDir)), `/${stateDir.path}`];
  const git = await openTrustedGit({ worktree, gitDir, exclude, path: options.path });
  const names = await openStandInNames(gitDir);
  const index = new WorktreeIndex(git, names, {
    excluded: stateDir.path,
    maxContentBytes: options.maxContentBytes ?? MAX_CONTENT_BYTES,
  });
  return GitWorkspace.open(git, names, index);
}

/** Runs one operation at a time, because the index is one file and a poll must not read it in the middle of a snapshot. */
class GitWorkspace implements Workspace {
  readonly #git: TrustedGit;
  readonly #names: StandInNames;
  readonly #index: WorktreeIndex;
  readonly #trees: TreeStore;
  readonly #comparer: WorktreeComparer;
  readonly #base: BaseTree;
  #lastOperation: Promise<unknown> = Promise.resolve();

  static async open(git: TrustedGit, names: StandInNames, index: WorktreeIndex): Promise<GitWorkspace> {
    const trees = new TreeStore(git);
    const base = await BaseTree.open(trees, git.gitDir, async () => {
      await assertWorktree(git.worktree);
      await index.sync();
      return trees.write();
    });
    return new GitWorkspace({ git, names, index, trees, base });
  }

  private constructor(store: {
    git: TrustedGit;
    names: StandInNames;
    index: WorktreeIndex;
    trees: TreeStore;
    base: BaseTree;
  }) {
    this.#git = store.git;
    this.#names = store.names;
    this.#index = store.index;
    this.#trees = store.trees;
    this.#base = store.base;
    this.#comparer = new WorktreeComparer(store.index, store.trees, store.names);
  }

  get worktree(): string {
    return this.#git.worktree;
  }

  snapshot(): Promise<Tree> {
    return this.#exclusively(async () => {
      await this.#sync();
      return this.#trees.write();
    });
  }

  list(tree: Tree): Promise<string[]> {
    return this.#exclusively(async () =>
      [...(await this.#trees.read(tree)).keys()].map((name) => this.#names.decode(name)),
    );
  }

  base(): Tree {
    return this.#base.tree;
  }

  setBase(tree: Tree): Promise<void> {
    return this.#exclusively(() => this.#base.set(tree));
  }

  changes(tree?: Tree): Promise<Change[]> {
    return this.#exclusively(async () => {
      await this.#sync();
      return listChanges(this.#git, this.#names, tree ?? this.#base.tree);
    });
  }

  changedPaths(): Promise<string[]> {
    return this.#exclusively(async () => {
      await assertWorktree(this.worktree);
      return this.#comparer.changedPaths(this.#base.tree);
    });
  }

  absorb(before: Tree, after: Tree): Promise<void> {
    return this.#exclusively(() => this.#base.absorb(before, after));
  }

  revert(paths: readonly string[], asideDir: string, tree: Tree = this.#base.tree): Promise<SetAside[]> {
    return this.#exclusively(async () => {
      await assertWorktree(this.worktree);
      return revertPaths(this.#store(), { paths, asideDir, tree, base: this.#base.tree });
    });
  }

  differs(path: string, tree: Tree): Promise<boolean> {
    return this.#exclusively(async () => {
      await assertWorktree(this.worktree);
      return this.#comparer.differs(path, tree);
    });
  }

  changedSince(tree: Tree): Promise<string[]> {
    return this.#exclusively(async () => {
      await this.#sync();
      return this.#pathsFrom(tree);
    });
  }

  special(): Promise<string[]> {
    return this.#exclusively(async () => {
      await assertWorktree(this.worktree);
      return this.#index.listSpecial();
    });
  }

  restoreAside(items: readonly SetAside[]): Promise<string[]> {
    return this.#exclusively(async () => {
      await assertWorktree(this.worktree);
      const base = await this.#trees.read(this.#base.tree);
      return restoreReverted(items, { worktree: this.worktree, index: this.#index, base });
    });
  }

  restoreTree(tree: Tree): Promise<string[]> {
    return this.#exclusively(async () => {
      await recreateWorktree(this.worktree);
      await this.#sync();
      await restoreTree(this.#store(), tree);
      await this.#sync();
      return this.#pathsFrom(tree);
    });
  }

  merge(parts: BaseMerge, committed: readonly CommittedFile[]): Promise<MergedTree> {
    return this.#exclusively(() => mergeBase(this.#git, this.#trees, this.#base.tree, parts, committed));
  }

  track(paths: readonly string[]): Promise<void> {
    return this.#exclusively(async () => {
      await assertWorktree(this.worktree);
      this.#comparer.forgetIndex();
      await this.#index.sync(paths);
    });
  }

  combine(from: Tree, to: Tree): Promise<CombinedChange[]> {
    return this.#exclusively(async () => {
      await this.#sync();
      const since = await this.#trees.compareIndex(this.#base.tree);
      const changes = await this.#trees.compareTrees(from, await this.#trees.amend(to, since));
      return changes
        .map((change) => this.#describe(change))
        .sort((one, two) => compareText(one.path, two.path));
    });
  }

  #describe({ name, status, newMode, newId }: RawChange): CombinedChange {
    const size = async () => Number((await this.#git.run(['cat-file', '-s', newId])).text.toString());
    return {
      path: this.#names.decode(name),
      mode: newMode,
      status: status === 'A' ? 'added' : status === 'D' ? 'deleted' : 'modified',
      read: async (maxBytes) => {
        if (this.#names.isStandIn(name) || (await size()) > maxBytes) return undefined;
        return (await this.#git.run(['cat-file', 'blob', newId], { maxBytes: maxBytes + 1 })).text;
      },
    };
  }

  diff(
    paths?: readonly string[],
    maxBytes = MAX_DIFF_BYTES,
    tree = this.#base.tree,
  ): Promise<{ text: string; cut: boolean }> {
    return this.#exclusively(async () => {
      await this.#sync();
      return renderDiff(this.#git, this.#names, { tree, paths, maxBytes });
    });
  }

  patch(maxBytes: number, tree: Tree): Promise<{ bytes: Buffer; cut: boolean }> {
    return this.#exclusively(async () => {
      await this.#sync();
      return renderPatch(this.#git, this.#names, { tree, maxBytes });
    });
  }

  async #pathsFrom(tree: Tree): Promise<string[]> {
    const changed = (await this.#trees.compareIndex(tree)).map((entry) => this.#names.decode(entry.name));
    return [...new Set(changed)].sort(compareText);
  }

  #store() {
    return { worktree: this.worktree, trees: this.#trees, names: this.#names };
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#lastOperation.then(work);
    this.#lastOperation = result.catch(() => undefined);
    return result;
  }

  async #sync(): Promise<void> {
    await assertWorktree(this.worktree);
    this.#comparer.forgetIndex();
    await this.#index.sync();
  }
}

async function makeGitDir(worktree: string, given: string): Promise<string> {
  const gitDir = await resolveLinks(given);
  if (isInside(worktree, gitDir)) {
    throw new Error(
      `The git directory ${gitDir} is inside the worktree ${worktree}, where the agent writes. Move it.`,
    );
  }
  await mkdir(gitDir, { recursive: true, mode: 0o700 });
  return realpath(gitDir);
}
