import type { Cursors } from './cursors.ts';
import type { Dispatches } from './dispatches.ts';
import type { Inbox } from './inbox.ts';
import type { Labellings } from './labellings.ts';
import type { Outbox } from './outbox.ts';
import type { Vault } from './ports.ts';
import type { Publications } from './publications.ts';
import type { RunLog } from './run-log.ts';
import type { SentComments } from './sent-comments.ts';
import type { Sessions } from './sessions.ts';
import type { Slots } from './slots.ts';
import type { Spending } from './spending.ts';
import type { Tickets } from './tickets.ts';

/** One setting of a timer. Every change is of this one, not of the same timer set to another time since. */
interface TimerKey {
  run: string;
  timer: string;
  /** The time it was set to. */
  at: string;
}

export interface DueTimer extends TimerKey {
  /** How often it failed. */
  attempts: number;
}

export interface Timers {
  due(limit: number): Promise<DueTimer[]>;
  /** Removes the timer. */
  done(timer: TimerKey): Promise<void>;
  /** Puts off a timer that failed, so that it takes the place of no other. */
  retry(timer: TimerKey, waitMs: number): Promise<void>;
  /** Every timer that failed is due at once, behind those that are due already, and its failures are forgotten. */
  reviveAll(): Promise<void>;
}

/** Binary data of a run: the newest changeset and the sealed checkpoint. Kept for some time after its end. */
export interface Blobs {
  /** False if the run is not at `atVersion` any more; nothing is stored then. */
  put(run: string, name: string, bytes: Uint8Array, atVersion?: number): Promise<boolean>;
  get(run: string, name: string): Promise<Uint8Array | undefined>;
}

/** The store of every desk, with a server or without. */
export interface DeskStore {
  runs: RunLog;
  outbox: Outbox;
  dispatches: Dispatches;
  slots: Slots;
  spending: Spending;
  publications: Publications;
  labellings: Labellings;
  comments: SentComments;
  timers: Timers;
  blobs: Blobs;
  vault: Vault;
  cursors: Cursors;
  /** The time by the database's clock, which all desks share. */
  now(): Promise<Date>;
}

export type Wake = 'inbox' | 'outbox' | `run:${string}`;

/** The store of a desk with a server. */
export interface HostedStore extends DeskStore {
  inbox: Inbox;
  tickets: Tickets;
  sessions: Sessions;
  /** Calls the listener when another instance adds to the inbox or outbox, or commits to a run. */
  onWake(listener: (what: Wake) => void): () => void;
  /** Leases a task that only one desk does at a time, such as reconcile. False if another desk has it. */
  leaseTask(task: string, owner: string, leaseMs: number): Promise<boolean>;
  /** Writes and reads back, so that a full or read-only database is noticed. */
  probe(): Promise<void>;
  close(): Promise<void>;
}
