import type { Workspace } from '../workspace/workspace.ts';
import { digestInWorktree } from './proposed-content.ts';
import type { TurnChanges } from './turn-changes.ts';

export interface ApprovedFile {
  path: string;
  digest: string;
}

/** The files of the worktree whose present content a person has approved. */
export class ApprovedContent {
  readonly #workspace: Workspace;
  readonly #changes: TurnChanges;
  /** As of the last look. */
  #found: ReadonlyMap<string, string> = new Map();

  constructor(workspace: Workspace, changes: TurnChanges) {
    this.#workspace = workspace;
    this.#changes = changes;
  }

  digestOf(path: string): string | undefined {
    return this.#found.get(path);
  }

  /** Call it at each look, with the paths that are changed. */
  async look(paths: readonly string[], approved: readonly ApprovedFile[]): Promise<void> {
    const { worktree } = this.#workspace;
    const found = new Map<string, string>();
    for (const { path, digest } of approved)
      if (paths.includes(path) && (await digestInWorktree(worktree, path)) === digest)
        found.set(path, digest);
    const fresh = [...found].filter(([path, digest]) => this.#found.get(path) !== digest);
    this.#found = found;
    if (fresh.length === 0) return;
    // Later content of the file is reverted to this, not to the content before the approval.
    const tree = await this.#workspace.snapshot();
    for (const [path, digest] of fresh)
      if ((await digestInWorktree(worktree, path)) === digest) this.#changes.allow([path], tree);
  }
}
