import type { Outgoing } from '../contracts/effect.ts';
import type { RunEvent } from '../contracts/run-event.ts';
import type { RunPhase } from '../contracts/run-state.ts';
import type { RunSummary } from '../contracts/run-summary.ts';
import type { Labelling } from './labellings.ts';
import type { Commit, RunStore } from './ports.ts';
import type { RunTarget } from './run-target.ts';

export interface HostedCommit extends Commit {
  /** Only with the first commit of a run. */
  target?: RunTarget;
  /** Only with the first commit of a run. */
  labelling?: Labelling;
  /** Idempotency keys of the answered sources, such as `comment:<id>`. A key that was seen before makes the commit a no-op. */
  seen?: string[];
  /** The record that is cleared with the decision, because what it says was written is not there any more. */
  unwritten?: { comment: string } | 'label';
  /** The dispatch whose tokens and tickets are revoked, and why. Nobody is locked out without the decision about it (S-17). */
  lockedOut?: { op: string; outcome: string };
}

/** A run with its place on GitHub. */
export interface PlacedRun {
  run: string;
  phase: RunPhase;
  target: RunTarget;
  /** The number of its pull request, if it has one. */
  pull?: number;
}

/** A run as lists show it. */
export interface ListedRun extends PlacedRun {
  seq: number;
  summary: RunSummary;
}

/** Runs and their journals. */
export interface RunLog extends Omit<RunStore, 'commit'> {
  /** Writes events, state, effects, dispatches, timers, labelling, `seen` and what is unwritten or locked out in one transaction. */
  commit(
    run: string,
    expectedVersion: number,
    commit: HostedCommit,
  ): Promise<{ ok: true; version: number; duplicate: boolean } | { ok: false }>;
  /** Effects for an issue or pull request that has no run, once per `seen`. False if one of `seen` was answered before. */
  write(
    place: Pick<RunTarget, 'installation_id' | 'repo_id' | 'issue'>,
    id: string,
    effects: Outgoing[],
    seen: string[],
  ): Promise<boolean>;
  /** Records that a source needs no answer of this run. */
  remember(run: string, key: string): Promise<void>;
  /** True if a commit with this key exists. */
  wasSeen(key: string): Promise<boolean>;
  target(run: string): Promise<RunTarget | undefined>;
  /** The newest run of the issue. */
  ofIssue(repoId: number, issue: number): Promise<string | undefined>;
  /** Runs in these phases, oldest first. */
  inPhase(...phases: RunPhase[]): Promise<string[]>;
  /** The same runs with their places, in one query. Runs without a place are left out. */
  placed(...phases: RunPhase[]): Promise<PlacedRun[]>;
  list(limit: number): Promise<string[]>;
  /** Runs in these phases with their summaries, newest first; `before` is the `seq` of the last one that was read. */
  summaries(query: { phases: RunPhase[]; limit: number; before?: number }): Promise<ListedRun[]>;
  summary(run: string): Promise<ListedRun | undefined>;
  /** The events of the newest commits of a run, newest first. */
  newest(run: string, limit: number): Promise<{ version: number; events: RunEvent[] }[]>;
  events(run: string): Promise<{ version: number; commit: Commit }[]>;
  /**
   * Deletes the records of runs that ended that long ago, except the run, its journal and the number of its pull request; and
   * after some weeks the blobs of ended runs and what was given up. Returns how many records that were.
   */
  prune(olderThanMs: number): Promise<number>;
}
