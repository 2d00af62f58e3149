import type { PlacedWrite } from './resolve-write-path.ts';

/** An edit that was allowed is made within this time, or it is not made. */
export const GRANT_MS = 1_000;

/** What the gate allowed in this turn. An edit that is not made yet counts already, but not for ever. */
export class EditGrants {
  /** Stands still while the agent is frozen: it cannot write then. */
  readonly #now: () => number;
  readonly #waiting = new Map<string, number>();
  readonly #asked = new Set<string>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add({ path, named }: PlacedWrite): void {
    this.#waiting.set(path, this.#now());
    this.#asked.add(path);
    // A tool may write through a link, or put a file in its place.
    this.#asked.add(named);
  }

  wasAsked(path: string): boolean {
    return this.#asked.has(path);
  }

  /** Allowed, and not found written so far. */
  waiting(): string[] {
    return [...this.#waiting.keys()];
  }

  /** After a look that began at `lookedAt`: what is written counts as changed, what was not written in time never was. */
  forget(changed: readonly string[], lookedAt: number): void {
    for (const path of changed) this.#waiting.delete(path);
    for (const [path, at] of this.#waiting) if (at < lookedAt - GRANT_MS) this.#waiting.delete(path);
  }
}
