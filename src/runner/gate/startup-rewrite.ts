import type { OwnRewrite } from '../../agents/agent.ts';
import type { Tree } from '../workspace/tree-store.ts';
import type { Workspace } from '../workspace/workspace.ts';

const DIFF_BYTES = 4_000;

/**
 * A program may rewrite its own settings when it starts, which is neither work nor an offence. That change is known by its
 * content and not by its time, because a busy machine delays the program, our looks and its first tool call independently.
 */
export class StartupRewrite {
  readonly #rewrite: OwnRewrite | undefined;
  readonly #workspace: Workspace;
  readonly #asideDir: string;
  readonly #wasAsked: (path: string) => boolean;
  /** The worktree when the turn began. */
  #startTree: Tree | undefined;
  /** True until the agent's first tool call, while only its program can have changed anything. */
  #isStarting: boolean;

  constructor(options: {
    ownRewrite?: OwnRewrite;
    workspace: Workspace;
    asideDir: string;
    /** An edit that the agent asked for is its work, whatever its content. */
    wasAsked(path: string): boolean;
  }) {
    this.#rewrite = options.ownRewrite;
    this.#workspace = options.workspace;
    this.#asideDir = options.asideDir;
    this.#wasAsked = options.wasAsked;
    this.#isStarting = options.ownRewrite !== undefined;
  }

  /** Call it when the turn begins. Before that nothing is the program's own change. */
  begin(startTree: Tree): void {
    this.#startTree = startTree;
  }

  /** From here on other changes of these files count, too. */
  end(): void {
    this.#isStarting = false;
  }

  /** The paths that count. Half-written settings are not judged while the program starts. */
  counted(paths: string[], wasChanged: (path: string) => boolean): string[] {
    return this.#isStarting ? paths.filter((path) => !this.#isOwnFile(path) || wasChanged(path)) : paths;
  }

  /** Reverts the program's own change, whenever it was made. `paths` are those that are changed now; returns those left. */
  async undo(paths?: string[]): Promise<string[]> {
    const tree = this.#startTree;
    if (tree === undefined || this.#rewrite === undefined || paths?.some(this.#isOwnFile) === false)
      return paths ?? [];
    const own = await this.#ownChanges(tree);
    if (own.length === 0) return paths ?? [];
    await this.#workspace.revert(own, this.#asideDir, tree);
    const left = await this.#workspace.changedPaths();
    // The program may have made it again since. The next look reverts that.
    const again = await this.#ownChanges(tree);
    return left.filter((path) => !again.includes(path));
  }

  async #ownChanges(tree: Tree): Promise<string[]> {
    const own: string[] = [];
    for (const path of this.#rewrite?.files ?? [])
      if (!this.#wasAsked(path) && (await this.#workspace.differs(path, tree)))
        if (await this.#isOwnChange(path, tree)) own.push(path);
    return own;
  }

  readonly #isOwnFile = (path: string): boolean => this.#rewrite?.files.includes(path) === true;

  async #isOwnChange(path: string, tree: Tree): Promise<boolean> {
    const { text, cut } = await this.#workspace.diff([path], DIFF_BYTES, tree);
    const lines = (sign: string) =>
      text
        .split('\n')
        .filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3)))
        .map((line) => line.slice(1))
        .join('\n');
    return !cut && this.#rewrite?.isOwn(lines('-'), lines('+')) === true;
  }
}
