import { inTime } from '../../core/in-time.ts';

/** A connection that is gone may take half a minute to fail, and the other workers have connections of their own. */
const LONGEST_LOOK_MS = 2_000;

/** how the workers of this process are shared among the installations of the App. */
interface Shares {
  /** The workers that are counted now. */
  taken(): number;
  /** The installations that have all the workers they may have. */
  full(): number[];
  isFull(installation: number | undefined): boolean;
  /** Counts a worker until the function that it returns is called. Work of an unknown installation has no limit. */
  take(installation: number | undefined): () => void;
  /**
   * One worker after the other looks for work, because two that look at once would both take the last place of an installation. One
   * whose look takes long is not waited for.
   */
  inTurn<Found>(look: () => Promise<Found>): Promise<Found>;
}

export function createShares(ofOneInstallation: number, longestLookMs = LONGEST_LOOK_MS): Shares {
  const workers = new Map<symbol, number | undefined>();
  const countOf = (installation: number) =>
    [...workers.values()].filter((one) => one === installation).length;
  const isFull = (installation: number | undefined): installation is number =>
    installation !== undefined && countOf(installation) >= ofOneInstallation;
  let last: Promise<unknown> = Promise.resolve();
  return {
    taken: () => workers.size,
    full: () => [...new Set(workers.values())].filter(isFull),
    isFull,
    take(installation) {
      const worker = Symbol('worker');
      workers.set(worker, installation);
      return () => void workers.delete(worker);
    },
    inTurn(look) {
      const mine = last.then(look);
      const ended = mine.then(
        () => undefined,
        () => undefined,
      );
      last = inTime(ended, AbortSignal.timeout(longestLookMs), () => undefined);
      return mine;
    },
  };
}
