import type { Rules } from '../core/contracts/rules.ts';
import type { GitHub } from '../core/ports/github-port.ts';
import type { HeldBrief } from '../core/ports/held-brief.ts';
import type { DeskStore } from '../core/ports/hosted-store.ts';
import type { DeskJob } from './desk-job.ts';

/** The state of one issue, for as long as this desk has it. */
export interface IssueState {
  store: DeskStore;
  /** Writes the state to where it is kept. */
  save(): Promise<void>;
  /** Saves and lets the next desk have it. `ended`: when the last run of the issue ended, if all have. */
  release(options: { ended?: string }): Promise<void>;
  /** For a desk that has to stop: what was not saved is lost. */
  abandon(): Promise<void>;
  putEntry(name: 'brief' | 'checkpoint', bytes: Uint8Array): void;
  dropEntry(name: 'brief' | 'checkpoint'): void;
  getEntry(name: 'brief' | 'checkpoint'): Promise<Uint8Array | undefined>;
}

/** How the state of an issue is taken. */
export interface Taking {
  /** `at first save`: until then, nothing may be written to GitHub, and all that was decided may be void. */
  lease: 'now' | 'at first save';
  /** How long to wait for another desk. Then it throws, see `isBusy`. */
  waitMs: number;
}

/** Everything that this desk is made of, wired by the entrypoint. */
export interface DeskParts {
  job: DeskJob;
  github: GitHub;
  openState(issue: number, taking: Taking): Promise<IssueState>;
  /** Issues with a run that has not ended. */
  openIssues(): Promise<number[]>;
  /** How long the state of an ended run is kept. A label that is older may have had its run already. */
  keptMs: number;
  /** Removes the states of issues whose runs ended some days ago. */
  removeOldStates(): Promise<unknown>;
  /** True for the error of a state that another desk took over meanwhile. */
  isTakenOver(error: unknown): boolean;
  /** True for the error of a state that another desk still has. */
  isBusy(error: unknown): boolean;
  /** True for the error of a state that does not fit where it is kept. */
  isTooLarge(error: unknown): boolean;
  rules: Rules;
  /** Names of the built-in agents. */
  agents: readonly string[];
  /** Bytes as an output of this job. Undefined if they do not fit. */
  packOutput(bytes: Uint8Array): string | undefined;
  /** The keys that a build is given with its brief. */
  keysFor(issue: number, operation: string): HeldBrief['keys'];
  /** Secrets of this desk, for its marks on comments. The first one is in use. */
  secrets: readonly string[];
  /** True if an agent could make the state's key, because no secret was set for it. */
  isKeyDerived: boolean;
}
