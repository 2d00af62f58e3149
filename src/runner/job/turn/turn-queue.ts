/** Handles everything that happens in a turn one after the other. */
export class TurnQueue {
  readonly #onFailure: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(onFailure: () => Promise<void>) {
    this.#onFailure = onFailure;
  }

  add(work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch(async (error: unknown) => {
      this.#failure ??= error;
      await this.#onFailure();
    });
  }

  /** Waits for all work, including work added meanwhile. Throws the first failure. */
  async drain(): Promise<void> {
    for (let seen = this.#last; ; seen = this.#last) {
      await seen;
      if (seen === this.#last) break;
    }
    if (this.#failure) throw this.#failure;
  }
}
