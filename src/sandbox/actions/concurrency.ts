/** One place in a concurrency group. */
interface Place {
  /** True when it is its turn, false if a newer one of its group replaced it while it waited. */
  turn: Promise<boolean>;
  /** Gives the place up, whether it waits or is at work. */
  leave(): void;
}

interface Entry {
  decide(isTurn: boolean): void;
  stop(): void;
}

/**
 * Concurrency groups as Actions has them: one is at work and one waits. A newer one replaces the one that waits, which
 * then never runs.
 */
export function createConcurrency(): {
  enter(group: string | undefined, options?: { stopsRunning?: boolean; stop?(): void }): Place;
} {
  const groups = new Map<string, { working?: Entry; waiting?: Entry }>();

  function next(group: { working?: Entry; waiting?: Entry }): void {
    if (group.working || !group.waiting) return;
    group.working = group.waiting;
    group.waiting = undefined;
    group.working.decide(true);
  }

  return {
    enter(name, { stopsRunning = false, stop = () => undefined } = {}) {
      if (name === undefined) return { turn: Promise.resolve(true), leave: () => undefined };
      // Names of groups ignore case.
      const key = name.toLowerCase();
      const group = groups.get(key) ?? {};
      groups.set(key, group);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const entry: Entry = { decide: resolve, stop };
      group.waiting?.decide(false);
      group.waiting = entry;
      if (stopsRunning) group.working?.stop();
      next(group);
      return {
        turn: promise,
        leave() {
          if (group.waiting === entry) {
            group.waiting = undefined;
            entry.decide(false);
          }
          if (group.working === entry) group.working = undefined;
          next(group);
        },
      };
    },
  };
}
