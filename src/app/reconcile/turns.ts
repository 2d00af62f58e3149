import type { AppDependencies } from '../dependencies.ts';

/** a round must end well before a lost command is 90 s old, whatever takes long in it. */
const TURN_MS = 5_000;

/**
 * Work that others wait for only as long as its turn lasts. Work that takes longer continues beside them, and is not begun a
 * second time meanwhile.
 */
export interface Turns {
  /**
   * Begins the work, unless work of that name is still under way. Resolves when it is done, or with undefined when its turn is
   * over.
   */
  take<Value>(
    work: { name: string; installation_id?: number },
    begin: () => Promise<Value>,
  ): Promise<Value | undefined>;
  /** Ends the turns that have lasted long enough. To be called again and again. */
  end(): void;
  /** Whether work of the installation has outlasted its turn and is still under way. */
  isLate(installation_id: number): boolean;
  /** Resolves when nothing is under way any more of what is now. */
  over(): Promise<void>;
}

interface UnderWay {
  installation_id?: number;
  began: number;
  isLate: boolean;
  endTurn(): void;
  ended: Promise<unknown>;
}

export function createTurns({ monotonicMs, log }: Pick<AppDependencies, 'monotonicMs' | 'log'>): Turns {
  const underWay = new Map<string, UnderWay>();
  const all = () => [...underWay.values()];
  return {
    async take({ name, installation_id }, begin) {
      if (underWay.has(name)) return undefined;
      const { promise: turn, resolve: endTurn } = Promise.withResolvers<undefined>();
      const ended = begin().finally(() => underWay.delete(name));
      const work: UnderWay = {
        ...{ installation_id, began: monotonicMs(), isLate: false, ended },
        endTurn: () => endTurn(undefined),
      };
      underWay.set(name, work);
      ended.catch((error: unknown) => {
        // Nobody waits for it any more.
        if (work.isLate) log.warn({ work: name, error: String(error) }, 'work that took long has failed');
      });
      return Promise.race([ended, turn]);
    },
    end() {
      for (const work of all()) {
        if (work.isLate || monotonicMs() - work.began < TURN_MS) continue;
        work.isLate = true;
        work.endTurn();
      }
    },
    isLate: (installation_id) =>
      all().some((work) => work.isLate && work.installation_id === installation_id),
    async over() {
      await Promise.allSettled(all().map(({ ended }) => ended));
    },
  };
}
