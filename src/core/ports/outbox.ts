import type { Outgoing } from '../contracts/effect.ts';

/** How the error of an attempt begins after which GitHub asked to wait. Nothing makes that wait shorter. */
export const ASKED_TO_WAIT = 'limited: ';

/** An effect that waits to be performed. */
export interface OutgoingEffect {
  /** The operation id, `<run>.<version>.<index>`, which is unique and stable. */
  id: string;
  /** `repo_id#issue` */
  lane: string;
  /** Absent for an issue without a run. */
  run?: string;
  effect: Outgoing;
  attempts: number;
  /** The error of the attempt before. */
  last_error?: string;
}

/** The right to write to one issue. Every change needs its `fence`, so that a worker whose lease ran out changes nothing. */
export interface LaneLease {
  lane: string;
  fence: string;
}

export interface ClaimedLane extends LaneLease {
  /** The App's installation that the lane is written by. Unknown for a run without a place, and for some effects of older versions. */
  installation?: number;
}

export interface LaneChoice {
  /** Only lanes with an urgent effect are chosen of these installations. */
  full?: readonly number[];
  /** The same for all installations. */
  onlyUrgent?: boolean;
}

/**
 * Everything that is to be written to GitHub, one lane per issue. Effects of one slot are performed in order, so one that waits
 * for its retry holds up its slot and nothing else; words about the work do not even hold up that. A newer effect of the slot
 * brings that retry forward, unless GitHub asked to wait. Urgent effects overtake. All times are the database's.
 */
export interface Outbox {
  /** Leases the lane whose effect is due for the longest time. */
  claim(leaseMs: number, choice?: LaneChoice): Promise<ClaimedLane | undefined>;
  renew(lease: LaneLease, leaseMs: number): Promise<boolean>;
  release(lease: LaneLease): Promise<void>;
  /** The next effect, or the next urgent one, of the lane that is due. Undefined if there is none, or if the lease ran out. */
  next(lease: LaneLease, onlyUrgent?: boolean): Promise<OutgoingEffect | undefined>;
  /** Removes the effect. `done`, `retry` and `bury` return false if the lease was lost. */
  done(lease: LaneLease, id: string): Promise<boolean>;
  /** Without an error the effect was only put off, which is not an attempt. */
  retry(lease: LaneLease, id: string, waitMs: number, error?: string): Promise<boolean>;
  /** Gives up on the effect. It stays visible and is performed only after `revive`. */
  bury(lease: LaneLease, id: string, error: string): Promise<boolean>;
  buried(limit: number): Promise<{ id: string; run?: string; error: string; at: string }[]>;
  /** Ids of buried effects of one installation of the App, newest first. */
  buriedOf(installation: number, limit: number): Promise<string[]>;
  revive(id: string): Promise<boolean>;
  /** The effects of a run in a lane that are not performed yet. */
  waiting(lane: string, run: string): Promise<Outgoing[]>;
  /** Milliseconds until the next effect that failed is tried again. Effects that were only put off do not count. */
  retryIn(): Promise<number | undefined>;
  size(): Promise<{ waiting: number; busy: number; buried: number }>;
}
