import { compareText } from './list-changes.ts';
import type { StandInNames } from './stand-in.ts';
import type { TreeEntry } from './tree-diff.ts';
import type { Tree, TreeStore } from './tree-store.ts';
import type { WorktreeIndex } from './worktree-index.ts';

/** Compares the worktree with a tree without writing to the index, so it is cheap enough to poll. */
export class WorktreeComparer {
  readonly #index: WorktreeIndex;
  readonly #trees: TreeStore;
  readonly #names: StandInNames;
  #entries: { tree: Tree; byName: Map<string, TreeEntry> } | undefined;
  /** The paths at which the index differs from `tree`. */
  #indexed: { tree: Tree; paths: Set<string> } | undefined;

  constructor(index: WorktreeIndex, trees: TreeStore, names: StandInNames) {
    this.#index = index;
    this.#trees = trees;
    this.#names = names;
  }

  async changedPaths(tree: Tree): Promise<string[]> {
    const entries = await this.#entriesOf(tree);
    const changed = new Set(await this.#pathsInIndex(tree));
    const suspects = await this.#index.listSuspects();
    const identities = await this.#index.identify(suspects);
    for (const path of suspects) {
      const identity = identities.get(path);
      const marked = this.#names.encode(path);
      const wanted = [path, marked].filter((name) => entries.has(name));
      const entry = identity && entries.get(identity.name);
      const same = identity
        ? entry?.id === identity.id && entry.mode === identity.mode && wanted.length === 1
        : wanted.length === 0;
      if (same) changed.delete(path);
      else changed.add(path);
    }
    return [...changed].sort(compareText);
  }

  async differs(path: string, tree: Tree): Promise<boolean> {
    const entries = await this.#trees.read(tree);
    const identity = (await this.#index.identify([path])).get(path);
    if (!identity) return entries.has(path) || entries.has(this.#names.encode(path));
    const entry = entries.get(identity.name);
    return entry?.id !== identity.id || entry.mode !== identity.mode;
  }

  /** Must be called whenever the index is written. */
  forgetIndex(): void {
    this.#indexed = undefined;
  }

  async #entriesOf(tree: Tree): Promise<Map<string, TreeEntry>> {
    if (this.#entries?.tree !== tree) this.#entries = { tree, byName: await this.#trees.read(tree) };
    return this.#entries.byName;
  }

  async #pathsInIndex(tree: Tree): Promise<Set<string>> {
    if (this.#indexed?.tree !== tree) {
      const differing = await this.#trees.compareIndex(tree);
      this.#indexed = { tree, paths: new Set(differing.map(({ name }) => this.#names.decode(name))) };
    }
    return this.#indexed.paths;
  }
}
