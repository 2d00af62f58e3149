/**
 * a run that reconcile never saw is read on its own, which costs several calls. After a first start or a long outage that
 * would be every run at once, so each round makes only some of these reads, for each installation. Meanwhile the lists of the
 * repositories show what is new.
 */
export interface FirstReads {
  /** False if the rest has to wait for a later round. */
  take(calls: number): boolean;
  /** True for one repository in each round, which continues with what was put off there. */
  takeTurn(): boolean;
}

const CALLS_PER_ROUND = 6;

export function createFirstReads(): FirstReads {
  let left = CALLS_PER_ROUND;
  let isTaken = false;
  return {
    take(calls) {
      if (left <= 0) return false;
      left -= calls;
      return true;
    },
    takeTurn() {
      if (isTaken || left <= 0) return false;
      isTaken = true;
      return true;
    },
  };
}
