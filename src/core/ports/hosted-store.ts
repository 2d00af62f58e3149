import type { Inbox } from './inbox.ts';
import type { Outbox } from './outbox.ts';
import type { Commit, RunStore, Vault } from './ports.ts';
import type { HostedCommit } from './run-log.ts';
import type { RunTarget } from './run-target.ts';

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
