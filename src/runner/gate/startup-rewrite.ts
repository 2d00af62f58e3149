import type { OwnRewrite } from '../../agents/agent.ts';
import type { Tree } from '../workspace/tree-store.ts';
import type { Workspace } from '../workspace/workspace.ts';

const DIFF_BYTES = 4_000;

/** A program may rewrite its own settings when it starts. Until the agent's first tool call they do not count as changed. */
export class StartupRewrite {
  readonly #rewrite: OwnRewrite | undefined;
  readonly #workspace: Workspace;
  readonly #asideDir: string;
  /** True until the agent's first tool call, while only its program can have changed anything. */
  #isStarting: boolean;

  constructor(options: { ownRewrite?: OwnRewrite; workspace: Workspace; asideDir: string }) {
    this.#rewrite = options.ownRewrite;
    this.#workspace = options.workspace;
    this.#asideDir = options.asideDir;
    this.#isStarting = options.ownRewrite !== undefined;
  }

  get isOver(): boolean {
    return !this.#isStarting;
  }

  /** The paths that count. */
  counted(paths: string[], wasChanged: (path: string) => boolean): string[] {
    return this.#isStarting ? paths.filter((path) => !this.#isOwnFile(path) || wasChanged(path)) : paths;
  }

  /** Reverts the program's own change. From here on everything counts. */
  async end(startTree: Tree): Promise<void> {
    const touched = await this.#workspace.changedSince(startTree);
    const own: string[] = [];
    for (const path of touched.filter((one) => this.#isOwnFile(one)))
      if (await this.#isOwnChange(path, startTree)) own.push(path);
    if (own.length > 0) await this.#workspace.revert(own, this.#asideDir, startTree);
    this.#isStarting = false;
  }

  #isOwnFile(path: string): boolean {
    return this.#rewrite?.files.includes(path) === true;
  }

  /** Judged by its content, because the agent's first command may have written the file already. */
  async #isOwnChange(path: string, startTree: Tree): Promise<boolean> {
    const { text, cut } = await this.#workspace.diff([path], DIFF_BYTES, startTree);
    const lines = (sign: string) =>
      text
        .split('\n')
        .filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3)))
        .map((line) => line.slice(1))
        .join('\n');
    return !cut && this.#rewrite?.isOwn(lines('-'), lines('+')) === true;
  }
}
