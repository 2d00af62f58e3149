import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tree, TreeStore } from './tree-store.ts';

/** The tree that the agent's changes are measured against. It is stored in the trusted git directory and survives a restart. */
export class BaseTree {
  readonly #trees: TreeStore;
  readonly #file: string;
  #tree: Tree;

  private constructor(trees: TreeStore, file: string, tree: Tree) {
    this.#trees = trees;
    this.#file = file;
    this.#tree = tree;
  }

  /** The first base of a git directory is a snapshot. */
  static async open(trees: TreeStore, gitDir: string, snapshot: () => Promise<Tree>): Promise<BaseTree> {
    const file = join(gitDir, 'base-tree');
    const saved = await readFile(file, 'utf8').catch(() => undefined);
    if (saved !== undefined) return new BaseTree(trees, file, saved.trim() as Tree);
    const base = new BaseTree(trees, file, await snapshot());
    await base.set(base.tree);
    return base;
  }

  get tree(): Tree {
    return this.#tree;
  }

  async set(tree: Tree): Promise<void> {
    const temporary = `${this.#file}.new`;
    await writeFile(temporary, `${tree}\n`);
    await rename(temporary, this.#file);
    this.#tree = tree;
  }

  /** Moves the changes between the two trees into the base, except at paths that already differed from the base. */
  async absorb(before: Tree, after: Tree): Promise<void> {
    const written = await this.#trees.compareTrees(before, after);
    if (written.length === 0) return;
    const own = (await this.#trees.compareTrees(this.#tree, before)).map((entry) => entry.name);
    const foreign = written.filter((entry) => !own.some((name) => collide(name, entry.name)));
    await this.set(this.#tree === before ? after : await this.#trees.amend(this.#tree, foreign));
  }
}

/** Whether both cannot exist at once: they are the same name, or one would be a directory that contains the other. */
function collide(one: string, two: string): boolean {
  return one === two || one.startsWith(`${two}/`) || two.startsWith(`${one}/`);
}
