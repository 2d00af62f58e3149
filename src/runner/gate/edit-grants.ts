import type { WriteTarget } from './resolve-write-path.ts';

/** An allowed edit that is not made within this time is assumed to be dropped. */
export const GRANT_MS = 1_000;

/** The edits that the gate allowed in this turn. An edit that is not made yet counts as a changed file for a limited time. */
export class EditGrants {
  /** A clock that stops while the agent is frozen and cannot write. */
  readonly #now: () => number;
  readonly #waiting = new Map<string, number>();
  readonly #asked = new Set<string>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add({ path, named }: WriteTarget): void {
    this.#waiting.set(path, this.#now());
    this.#asked.add(path);
    // A tool may write through a symlink, or replace it with a file.
    this.#asked.add(named);
  }

  wasAsked(path: string): boolean {
    return this.#asked.has(path);
  }

  /** Paths that were allowed and not yet found written. */
  waiting(): string[] {
    return [...this.#waiting.keys()];
  }

  /** Call it after a look that began at `lookedAt`, with the paths it found. Those and expired grants are forgotten. */
  forget(changed: readonly string[], lookedAt: number): void {
    for (const path of changed) this.#waiting.delete(path);
    for (const [path, at] of this.#waiting) if (at < lookedAt - GRANT_MS) this.#waiting.delete(path);
  }
}
