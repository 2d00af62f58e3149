import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tree } from '../workspace/tree-store.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { changeTimes, orderChanges } from './order-changes.ts';

/** The files that are changed, and what each of them was before the writes of this turn. */
export class TurnChanges {
  readonly #workspace: Workspace;
  readonly #countChanged: (paths: string[]) => Promise<string[]>;
  readonly #onFilesChanged: (paths: string[]) => void;
  #paths: string[] = [];
  #fingerprint = '';
  /** The files that were changed before this turn, and when they were written. */
  #atStart: ReadonlyMap<string, number> = new Map();
  #startTree: Tree;
  /** For each file that a person has allowed in this turn: a tree with the allowed content. */
  readonly #allowed = new Map<string, Tree>();

  constructor(options: {
    workspace: Workspace;
    countChanged(paths: string[]): Promise<string[]>;
    onFilesChanged(paths: string[]): void;
  }) {
    this.#workspace = options.workspace;
    this.#countChanged = options.countChanged;
    this.#onFilesChanged = options.onFilesChanged;
    this.#startTree = options.workspace.base();
  }

  /** As of the last look. */
  get paths(): string[] {
    return this.#paths;
  }

  get startTree(): Tree {
    return this.#startTree;
  }

  /** Whether it was changed before this turn. */
  wasChanged(path: string): boolean {
    return this.#atStart.has(path);
  }

  /** Takes the worktree as it is now, of which `tree` is a snapshot, as the start of the turn. */
  async begin(tree?: Tree): Promise<void> {
    this.#paths = await this.#list();
    this.#atStart = await changeTimes(this.#workspace.worktree, this.#paths);
    this.#startTree = tree ?? (await this.#workspace.snapshot());
    this.#allowed.clear();
    this.#fingerprint = await this.#fingerprintOf(this.#paths);
  }

  async look(): Promise<string[]> {
    const paths = await this.#list();
    const fingerprint = await this.#fingerprintOf(paths);
    if (fingerprint !== this.#fingerprint) {
      this.#fingerprint = fingerprint;
      this.#paths = paths;
      this.#onFilesChanged(paths);
    }
    return paths;
  }

  /** Puts the paths in the order in which they count towards the file limit. */
  async inOrder(paths: readonly string[], isApproved: (path: string) => boolean): Promise<string[]> {
    const fresh = paths.filter((path) => !this.#atStart.has(path));
    const since = await changeTimes(this.#workspace.worktree, fresh);
    return orderChanges(paths, { atStart: this.#atStart, since, isApproved });
  }

  allow(paths: readonly string[], tree: Tree): void {
    for (const path of paths) this.#allowed.set(path, tree);
  }

  /** The tree that an edit of this turn is reverted to, so that work of earlier turns and allowed content stay. */
  treeBeforeEdit(path: string): Tree {
    return this.#allowed.get(path) ?? this.#startTree;
  }

  /**
   * The tree that a file which must not be there is reverted to. If it was not touched since the turn began, it was written
   * after the last look of an earlier turn. Nothing of it was ever allowed then, so it gets the base's content.
   */
  async treeBeforeViolation(path: string): Promise<Tree> {
    const before = this.treeBeforeEdit(path);
    const wasChanged = this.#atStart.has(path) || this.#allowed.has(path);
    return wasChanged && (await this.#workspace.differs(path, before)) ? before : this.#workspace.base();
  }

  async #list(): Promise<string[]> {
    return this.#countChanged(await this.#workspace.changedPaths());
  }

  /** Has size and time of each file, because a file written again is a change too. */
  async #fingerprintOf(paths: readonly string[]): Promise<string> {
    const marks = await Promise.all(
      paths.map(async (path) => {
        const stats = await lstat(join(this.#workspace.worktree, path)).catch(() => undefined);
        return `${path}\0${stats?.size}\0${stats?.mtimeMs}`;
      }),
    );
    return marks.join('\n');
  }
}
