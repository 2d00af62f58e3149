import type { IsolationLevel } from '../../core/contracts/isolation.ts';
import type { Enter } from '../process/enter.ts';

/** Where agents and checks run, for one job. */
export interface Box {
  level: IsolationLevel;
  /** Why it is not a higher level, for the log. */
  why: string[];
  enter: Enter;
}
