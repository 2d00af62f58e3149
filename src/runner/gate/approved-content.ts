import type { Workspace } from '../workspace/workspace.ts';
import type { TurnChanges } from './turn-changes.ts';

export interface ApprovedFile {
  path: string;
  digest: string;
}

/** The files of the worktree whose present content a person has approved. */
export class ApprovedContent {
  readonly #workspace: Workspace;
  readonly #changes: TurnChanges;
  readonly #digestOf: (path: string) => Promise<string | undefined>;
  /** As of the last look. */
  #found: ReadonlyMap<string, string> = new Map();

  /** `digestOf` tells the content that the run would commit, which is not always in the worktree. */
  constructor(
    workspace: Workspace,
    changes: TurnChanges,
    digestOf: (path: string) => Promise<string | undefined>,
  ) {
    this.#workspace = workspace;
    this.#changes = changes;
    this.#digestOf = digestOf;
  }

  digestOf(path: string): string | undefined {
    return this.#found.get(path);
  }

  /** Call it at each look, with the paths that are changed. */
  async look(paths: readonly string[], approved: readonly ApprovedFile[]): Promise<void> {
    const found = new Map<string, string>();
    for (const { path, digest } of approved)
      if (paths.includes(path) && (await this.#digestOf(path)) === digest) found.set(path, digest);
    const fresh = [...found].filter(([path, digest]) => this.#found.get(path) !== digest);
    this.#found = found;
    if (fresh.length === 0) return;
    // Later content of the file is reverted to this, not to the content before the approval.
    const tree = await this.#workspace.snapshot();
    for (const [path, digest] of fresh)
      if ((await this.#digestOf(path)) === digest) this.#changes.allow([path], tree);
  }
}
