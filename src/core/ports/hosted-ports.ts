import * as z from 'zod';
import { COMMAND_NAMES } from '../contracts/command.ts';
import { MENTION_NAME } from '../contracts/comment-context.ts';
import type { Effect } from '../contracts/effect.ts';
import { ROLES } from '../contracts/role.ts';
import type { Commit, RunStore, Vault } from './ports.ts';

/** The repository, issue and commit that a run belongs to, and its settings there. Written once, when the run is created. */
export const RunTarget = z.object({
  installation_id: z.number().int(),
  owner: z.string(),
  repo: z.string(),
  repo_id: z.number().int(),
  issue: z.number().int(),
  default_branch: z.string(),
  /** The commit the run builds on. */
  head_sha: z.string(),
  private: z.boolean(),
  workflow: z.string(),
  /** Whether the run's commits trigger the repository's own CI. */
  ci: z.enum(['skip', 'always']),
  labelled_by: z.string(),
  /** The minimum role for a command; `write` if none is named. */
  roles: z.partialRecord(z.enum(COMMAND_NAMES), z.enum(ROLES)).optional(),
  /** Paths whose changes need `/approve`, in addition to `.github/**`. */
  protected_paths: z.array(z.string()).optional(),
  /** Users whom a question mentions (if none, the one who set the label), and whether the operator's webhook is called. */
  notify: z
    .object({ mention: z.array(z.string().regex(MENTION_NAME)), webhook: z.enum(['on', 'off']) })
    .optional(),
});
export type RunTarget = z.infer<typeof RunTarget>;

/** A received webhook. The signature of its raw payload has been verified. */
export interface Delivery {
  id: string;
  event: string;
  payload: string;
  /** `repo_id#issue`, or `app`. Deliveries of one lane are handled in order. */
  lane: string;
  received_at: string;
}

/** A webhook before it is stored. The payload may still be bytes, because storing it needs no decoding. */
export type IncomingDelivery = Omit<Delivery, 'payload'> & { payload: string | Uint8Array };

/** An item under a lease. Every write needs its `fence`, so that a worker whose lease expired cannot write. */
export interface Leased {
  attempts: number;
  fence: string;
}

export interface Queue<Item> {
  /** Leases the oldest due item of a lane in which no item is leased. */
  claim(now: string, leaseMs: number): Promise<(Item & Leased) | undefined>;
  done(item: { id: string; fence: string }): Promise<boolean>;
  /** Extends the lease to `until`. */
  renew(item: { id: string; fence: string }, until: string): Promise<boolean>;
  retry(item: { id: string; fence: string }, at: string, error: string): Promise<boolean>;
  /** Gives up on the item. It stays visible and is retried only after `revive`. */
  bury(item: { id: string; fence: string }, error: string): Promise<boolean>;
  buried(limit: number): Promise<{ id: string; error: string; at: string }[]>;
  /** Puts a buried item in the queue again. */
  revive(id: string): Promise<boolean>;
  size(): Promise<{ waiting: number; busy: number; buried: number }>;
}

export interface Inbox extends Queue<Delivery> {
  /** Stores all deliveries in one transaction. They are durable when the promise resolves. */
  put(deliveries: IncomingDelivery[]): Promise<('fresh' | 'duplicate')[]>;
  /** The ids among these that were received before, handled or not. */
  known(ids: string[]): Promise<Set<string>>;
  /** Ids of buried deliveries of one installation of the App, newest first. */
  buriedOf(installation: number, limit: number): Promise<string[]>;
}

export interface OutgoingEffect {
  /** The operation id, `<run>.<version>.<index>`, which is unique and stable. */
  id: string;
  run: string;
  effect: Effect;
}

/** Effects of one run are performed in order. */
export type Outbox = Queue<OutgoingEffect>;

export interface HostedCommit extends Commit {
  /** Only with the first commit of a run. */
  target?: RunTarget;
  /** Idempotency keys of the handled inputs, such as `comment:<id>`. A key that was seen before makes the commit a no-op. */
  seen?: string[];
}

export interface HostedStore {
  runs: Omit<RunStore, 'commit'> & {
    /** Writes events, state, effects (to the outbox), timers (`set_timer`, `clear_timer`) and `seen` in one transaction. */
    commit(
      run: string,
      expectedVersion: number,
      commit: HostedCommit,
    ): Promise<{ ok: true; version: number; duplicate: boolean } | { ok: false }>;
    /** True if a commit with this key exists. */
    wasSeen(key: string): Promise<boolean>;
    target(run: string): Promise<RunTarget | undefined>;
    /** The newest run of the issue. */
    ofIssue(repoId: number, issue: number): Promise<string | undefined>;
    /** Runs that are not finished, oldest first. */
    active(): Promise<string[]>;
    list(limit: number): Promise<string[]>;
    events(run: string): Promise<{ version: number; commit: Commit }[]>;
  };
  inbox: Inbox;
  outbox: Outbox;
  timers: {
    due(now: string, limit: number): Promise<{ run: string; timer: string; at: string }[]>;
    done(run: string, timer: string, at: string): Promise<void>;
  };
  /** Binary data of a run: the newest changeset and the sealed checkpoint. */
  blobs: {
    /** False if the run is not at `atVersion` any more; nothing is stored then. */
    put(run: string, name: string, bytes: Uint8Array, atVersion?: number): Promise<boolean>;
    get(run: string, name: string): Promise<Uint8Array | undefined>;
    forget(run: string): Promise<void>;
  };
  /** Comments the App wrote, by operation id, so that a retry after a lost response does not write a second one. */
  comments: {
    find(
      run: string,
      op: string,
    ): Promise<{ comment_id: number; node_id: string; body_hash: string } | undefined>;
    save(
      run: string,
      op: string,
      comment: { comment_id: number; node_id: string; body_hash: string },
    ): Promise<void>;
    byComment(commentId: number): Promise<{ run: string; op: string; body_hash: string } | undefined>;
  };
  /** A ticket starts a job once; a token authenticates the job after that. Only hashes are stored. */
  tokens: {
    addTicket(ticket: {
      hash: string;
      run: string;
      job: number;
      kind: 'build' | 'verify';
      expires_at: string;
    }): Promise<void>;
    /** Finds a ticket whether it was taken or not. */
    findTicket(hash: string): Promise<
      | {
          run: string;
          job: number;
          kind: 'build' | 'verify';
          expires_at: string;
          revoked: boolean;
          /** The Actions run that took the ticket. */
          actions_run?: number;
          attempt?: number;
        }
      | undefined
    >;
    /** Succeeds for one Actions run only, and again for later attempts of that Actions run. */
    redeemTicket(
      hash: string,
      actionsRun: number,
      attempt: number,
      now: string,
    ): Promise<{ run: string; job: number; kind: 'build' | 'verify' } | undefined>;
    addToken(token: { hash: string; run: string; job: number; kind: 'build' | 'verify' }): Promise<void>;
    findToken(hash: string): Promise<{ run: string; job: number; kind: 'build' | 'verify' } | undefined>;
    /** Revokes every token and ticket of the run's jobs before `job`. */
    revokeBefore(run: string, job: number): Promise<void>;
    actionsRunOf(run: string, job: number): Promise<{ actions_run: number; attempt: number } | undefined>;
  };
  /** A small key-value store: the last heartbeat of a job, cursors (`cursor:<repo>`) and the like. */
  marks: {
    set(key: string, value: string): Promise<void>;
    get(key: string): Promise<string | undefined>;
  };
  vault: Vault;
  /** Calls the listener when another instance adds to the inbox or outbox, or commits to a run. */
  onWake(listener: (what: 'inbox' | 'outbox' | `run:${string}`) => void): () => void;
  close(): Promise<void>;
}
