import { lstat, mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Change, SetAside } from '../../core/work/change.ts';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { isInside, pruneEmptyParents, resolveLinks } from '../disk/inside-directory.ts';
import { removeInside } from '../disk/set-aside.ts';
import { compareText, listChanges } from './list-changes.ts';
import { bringBackItems, putBackPaths } from './revert-paths.ts';
import { openStandInNames, type StandInNames } from './stand-in.ts';
import type { TreeEntry } from './tree-diff.ts';
import { DIFF_OPTIONS, type Tree, TreeStore } from './tree-store.ts';
import { openTrustedGit, type TrustedGit } from './trusted-git.ts';
import { rememberUserExcludes } from './user-excludes.ts';
import { WorktreeIndex } from './worktree-index.ts';

/** Content of larger files is not kept: they are known by size and time. */
const MAX_CONTENT_BYTES = 40 * 1024 * 1024;
const MAX_DIFF_BYTES = 256 * 1024;
const PATHS_PER_COMMAND = 200;

/** The agent removed the worktree itself, or put something else in its place. `restoreTree` makes it anew. */
export class WorktreeGoneError extends Error {
  override readonly name = 'WorktreeGoneError';
}

/** The agent's files, measured against a base by a git directory that the agent has no part in. */
export interface Workspace {
  readonly worktree: string;
  /** The worktree as it is now, without what is ignored. */
  snapshot(): Promise<Tree>;
  /** The paths of a tree. */
  list(tree: Tree): Promise<string[]>;
  /** What the agent's changes are measured against. First: the worktree as it was when it was opened. Survives a restart. */
  base(): Tree;
  setBase(tree: Tree): Promise<void>;
  changes(): Promise<Change[]>;
  /** The same paths as `changes()`, cheap enough to poll. */
  changedPaths(): Promise<string[]>;
  /** What changed between the two trees is not the agent's, except at paths the agent had changed before. */
  absorb(before: Tree, after: Tree): Promise<void>;
  /** Restores the base's (or another tree's) content; what was there is kept in `asideDir`. */
  putBack(paths: readonly string[], asideDir: string, tree?: Tree): Promise<SetAside[]>;
  /** Whether the path is not what it is in the tree. */
  differs(path: string, tree: Tree): Promise<boolean>;
  /** Undoes `putBack`. A path that was written again since is left alone. Returns what was brought back. */
  restoreAside(items: readonly SetAside[]): Promise<string[]>;
  /** Makes the worktree equal to the tree, ignored files aside. Returns the paths that could not be restored. */
  restoreTree(tree: Tree): Promise<string[]>;
  /** Against the base, or another tree. */
  diff(paths?: readonly string[], maxBytes?: number, tree?: Tree): Promise<{ text: string; cut: boolean }>;
}

export async function openWorkspace(options: {
  worktree: string;
  /** Outside the worktree; made when it is not there. Give the same one again to go on from its base. */
  gitDir: string;
  /** Relative to the worktree; never part of a change. */
  stateDir: string;
  maxContentBytes?: number;
  /** Where to look for git. */
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
  const workspace = new GitWorkspace(git, names, index);
  await workspace.open();
  return workspace;
}

class GitWorkspace implements Workspace {
  readonly #git: TrustedGit;
  readonly #names: StandInNames;
  readonly #index: WorktreeIndex;
  readonly #trees: TreeStore;
  readonly #baseFile: string;
  #base = '' as Tree;
  #queue: Promise<unknown> = Promise.resolve();
  /** Content of the base, and the names at which the index differs from it; dropped whenever either may have changed. */
  #baseEntries: Map<string, TreeEntry> | undefined;
  #indexed: Set<string> | undefined;

  constructor(git: TrustedGit, names: StandInNames, index: WorktreeIndex) {
    this.#git = git;
    this.#names = names;
    this.#index = index;
    this.#trees = new TreeStore(git);
    this.#baseFile = join(git.gitDir, 'base-tree');
  }

  get worktree(): string {
    return this.#git.worktree;
  }

  async open(): Promise<void> {
    const saved = await readFile(this.#baseFile, 'utf8').catch(() => undefined);
    if (saved !== undefined) this.#base = saved.trim() as Tree;
    else await this.setBase(await this.snapshot());
  }

  snapshot(): Promise<Tree> {
    return this.#alone(async () => {
      await this.#sync();
      return this.#trees.write();
    });
  }

  list(tree: Tree): Promise<string[]> {
    return this.#alone(async () =>
      [...(await this.#trees.read(tree)).keys()].map((name) => this.#names.decode(name)),
    );
  }

  base(): Tree {
    return this.#base;
  }

  setBase(tree: Tree): Promise<void> {
    return this.#alone(() => this.#saveBase(tree));
  }

  changes(): Promise<Change[]> {
    return this.#alone(async () => {
      await this.#sync();
      return listChanges(this.#git, this.#names, this.#base);
    });
  }

  changedPaths(): Promise<string[]> {
    return this.#alone(async () => {
      await this.#demandWorktree();
      this.#baseEntries ??= await this.#trees.read(this.#base);
      this.#indexed ??= new Set(
        (await this.#trees.compareIndex(this.#base)).map((entry) => this.#names.decode(entry.name)),
      );
      const changed = new Set(this.#indexed);
      const suspects = await this.#index.listSuspects();
      const identities = await this.#index.identify(suspects);
      for (const path of suspects) {
        const identity = identities.get(path);
        const marked = this.#names.encode(path);
        const wanted = [path, marked].filter((name) => this.#baseEntries?.has(name));
        const entry = identity && this.#baseEntries.get(identity.name);
        const same = identity
          ? entry?.id === identity.id && entry.mode === identity.mode && wanted.length === 1
          : wanted.length === 0;
        if (same) changed.delete(path);
        else changed.add(path);
      }
      return [...changed].sort(compareText);
    });
  }

  absorb(before: Tree, after: Tree): Promise<void> {
    return this.#alone(async () => {
      const written = await this.#trees.compareTrees(before, after);
      if (written.length === 0) return;
      const own = (await this.#trees.compareTrees(this.#base, before)).map((entry) => entry.name);
      const foreign = written.filter((entry) => !own.some((name) => collide(name, entry.name)));
      await this.#saveBase(this.#base === before ? after : await this.#trees.amend(this.#base, foreign));
    });
  }

  putBack(paths: readonly string[], asideDir: string, tree: Tree = this.#base): Promise<SetAside[]> {
    return this.#alone(async () => {
      await this.#demandWorktree();
      const store = { worktree: this.worktree, trees: this.#trees, names: this.#names };
      return putBackPaths(store, { paths, asideDir, tree, base: this.#base });
    });
  }

  differs(path: string, tree: Tree): Promise<boolean> {
    return this.#alone(async () => {
      await this.#demandWorktree();
      const entries = await this.#trees.read(tree);
      const identity = (await this.#index.identify([path])).get(path);
      if (!identity) return entries.has(path) || entries.has(this.#names.encode(path));
      const entry = entries.get(identity.name);
      return entry?.id !== identity.id || entry.mode !== identity.mode;
    });
  }

  restoreAside(items: readonly SetAside[]): Promise<string[]> {
    return this.#alone(async () => {
      await this.#demandWorktree();
      const { worktree } = this;
      return bringBackItems(items, {
        worktree,
        index: this.#index,
        base: await this.#trees.read(this.#base),
      });
    });
  }

  restoreTree(tree: Tree): Promise<string[]> {
    return this.#alone(async () => {
      await this.#makeWorktree();
      await this.#sync();
      const wanted = new Map<string, TreeEntry>();
      for (const entry of await this.#trees.compareIndex(tree)) {
        if (this.#names.isStandIn(entry.name)) {
          // A large file that the tree does not have goes; git's own directories are not ours to delete.
          const path = this.#names.decode(entry.name);
          if (entry.status === 'A' && checkWorktreePath(path).ok) await this.#discard(path);
        } else if (entry.status === 'A') await this.#discard(entry.name);
        else wanted.set(entry.name, { mode: entry.oldMode, id: entry.oldId });
      }
      await this.#trees.checkOut(wanted, { force: true });
      await this.#sync();
      const left = (await this.#trees.compareIndex(tree)).map((entry) => this.#names.decode(entry.name));
      return [...new Set(left)].sort(compareText);
    });
  }

  diff(
    paths?: readonly string[],
    maxBytes = MAX_DIFF_BYTES,
    tree = this.#base,
  ): Promise<{ text: string; cut: boolean }> {
    return this.#alone(async () => {
      await this.#sync();
      const names = paths?.flatMap((path) => [path, this.#names.encode(path)]);
      const parts: Buffer[] = [];
      let left = maxBytes;
      let cut = false;
      for (const some of names === undefined ? [[]] : inChunks(names, PATHS_PER_COMMAND)) {
        const args = ['diff-index', '--patch', ...DIFF_OPTIONS, tree, '--', ...some];
        const output = await this.#git.run(args, {
          maxBytes: Math.max(left, 1),
          cut: true,
          timeoutMs: 60_000,
        });
        parts.push(output.text);
        left -= output.text.length;
        cut = output.cut;
        if (cut) break;
      }
      // A character cut in two at the end is dropped rather than shown broken.
      const text = new TextDecoder().decode(Buffer.concat(parts), { stream: cut });
      return { text: this.#names.clean(text), cut };
    });
  }

  /** The index is one file: a poll must not meet a snapshot half way. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #sync(): Promise<void> {
    await this.#demandWorktree();
    this.#indexed = undefined;
    await this.#index.sync();
  }

  async #demandWorktree(): Promise<void> {
    const stats = await lstat(this.worktree).catch(() => undefined);
    if (stats?.isDirectory()) return;
    const what = stats === undefined ? 'is gone' : 'is no longer a directory';
    throw new WorktreeGoneError(`The worktree ${this.worktree} ${what}. Its last snapshot can be restored.`);
  }

  async #makeWorktree(): Promise<void> {
    const stats = await lstat(this.worktree).catch(() => undefined);
    if (stats === undefined) await mkdir(this.worktree, { recursive: true });
    else if (!stats.isDirectory()) await this.#demandWorktree();
  }

  async #saveBase(tree: Tree): Promise<void> {
    const temporary = `${this.#baseFile}.new`;
    await writeFile(temporary, `${tree}\n`);
    await rename(temporary, this.#baseFile);
    this.#base = tree;
    this.#baseEntries = undefined;
    this.#indexed = undefined;
  }

  async #discard(path: string): Promise<void> {
    await removeInside(this.worktree, path);
    await pruneEmptyParents(this.worktree, path);
  }
}

/** The same name, or one the directory the other would be in. */
function collide(one: string, two: string): boolean {
  return one === two || one.startsWith(`${two}/`) || two.startsWith(`${one}/`);
}

function inChunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
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
