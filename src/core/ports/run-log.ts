import type { Outgoing } from '../contracts/effect.ts';
import type { RunPhase } from '../contracts/run-state.ts';
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
}

/** Runs and their journals. */
export interface RunLog extends Omit<RunStore, 'commit'> {
  /** Writes events, state, effects, dispatches, timers, labelling and `seen` in one transaction. */
  commit(
    run: string,
    expectedVersion: number,
    commit: HostedCommit,
  ): Promise<{ ok: true; version: number; duplicate: boolean } | { ok: false }>;
  /** Effects for an issue that has no run, once per `seen`. False if one of `seen` was answered before. */
  write(lane: string, id: string, effects: Outgoing[], seen: string[]): Promise<boolean>;
  /** True if a commit with this key exists. */
  wasSeen(key: string): Promise<boolean>;
  target(run: string): Promise<RunTarget | undefined>;
  /** The newest run of the issue. */
  ofIssue(repoId: number, issue: number): Promise<string | undefined>;
  /** Runs in these phases, oldest first. */
  inPhase(...phases: RunPhase[]): Promise<string[]>;
  list(limit: number): Promise<string[]>;
  events(run: string): Promise<{ version: number; commit: Commit }[]>;
  /** Deletes the answered sources, dispatches, tickets and cursors that are older and of ended runs. Returns their number. */
  prune(olderThanMs: number): Promise<number>;
}
