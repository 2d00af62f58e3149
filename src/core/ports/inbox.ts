/** A received webhook. The signature of its raw bytes has been verified. */
export interface Delivery {
  id: string;
  event: string;
  /** JSON of the fields that are kept. */
  payload: string;
  /** `repo_id#issue`, `repo_id#` or `app#installation`. Deliveries of one lane are handled in order. */
  lane: string;
  received_ms: number;
  /** The App's installation that it is about. Unknown for deliveries that older versions stored. */
  installation?: number;
}

/** An item under a lease. Every write needs its `fence`, so that a worker whose lease expired cannot write. */
export interface Leased {
  attempts: number;
  /** Why the attempt before this one failed. */
  last_error?: string;
  fence: string;
}

export interface Queue<Item> {
  /** Leases the oldest due item of a lane in which no item is leased. Those of the installations in `full` are left out. */
  claim(leaseMs: number, choice?: { full?: readonly number[] }): Promise<(Item & Leased) | undefined>;
  done(item: { id: string; fence: string }): Promise<boolean>;
  /** Extends the lease, counted from now. */
  renew(item: { id: string; fence: string }, leaseMs: number): Promise<boolean>;
  retry(item: { id: string; fence: string }, waitMs: number, error: string): Promise<boolean>;
  /** Gives up on the item. It stays visible and is retried only after `revive`. */
  bury(item: { id: string; fence: string }, error: string): Promise<boolean>;
  buried(limit: number): Promise<{ id: string; error: string; at: string }[]>;
  /** Puts a buried item in the queue again. */
  revive(id: string): Promise<boolean>;
  size(): Promise<{ waiting: number; busy: number; buried: number }>;
}

export interface Inbox extends Queue<Delivery> {
  /** Stores all deliveries in one transaction. They are durable when the promise resolves. */
  put(deliveries: Delivery[]): Promise<('fresh' | 'duplicate')[]>;
  /** The ids among these that were received before, handled or not. */
  known(ids: string[]): Promise<Set<string>>;
  /** Ids of buried deliveries of one installation of the App, newest first. */
  buriedOf(installation: number, limit: number): Promise<string[]>;
}
