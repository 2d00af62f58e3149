import * as z from 'zod';
import { COMMAND_NAMES } from '../contracts/command.ts';
import { MENTION_NAME } from '../contracts/comment-context.ts';
import type { Effect } from '../contracts/effect.ts';
import { ROLES } from '../contracts/role.ts';
import type { Commit, RunStore, Vault } from './ports.ts';

/** Where a run is at home on GitHub. Written once, with the run. */
export const Place = z.object({
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
  /** Whether commits of the run start the repository's own CI by themselves. */
  ci: z.enum(['skip', 'always']),
  labelled_by: z.string(),
  /** The least role for a command; `write` where none is named. */
  roles: z.partialRecord(z.enum(COMMAND_NAMES), z.enum(ROLES)).optional(),
  /** Changes here need `/approve`, beside `.github/**`. */
  protected_paths: z.array(z.string()).optional(),
  /** Whom a question mentions (none: who set the label), and whether the operator's webhook is told. */
  notify: z
    .object({ mention: z.array(z.string().regex(MENTION_NAME)), webhook: z.enum(['on', 'off']) })
    .optional(),
});
export type Place = z.infer<typeof Place>;

/** A webhook as it came: raw bytes as text, its signature checked. */
export interface Delivery {
  id: string;
  event: string;
  payload: string;
  /** Deliveries of one lane are handled in order: `repo_id#issue`, or `app`. */
  lane: string;
  received_at: string;
}

/** A webhook on its way in: its bytes need not become text only to be stored. */
export type IncomingDelivery = Omit<Delivery, 'payload'> & { payload: string | Uint8Array };

/** Work that is claimed for a while. `fence` must be given back: a worker that lost its lease writes nothing. */
export interface Leased {
  attempts: number;
  fence: string;
}

export interface Queue<Item> {
  /** The oldest due item of a lane that nobody works on. */
  claim(now: string, leaseMs: number): Promise<(Item & Leased) | undefined>;
  done(item: { id: string; fence: string }): Promise<boolean>;
  /** Still at work: nobody else takes it before `until`. */
  renew(item: { id: string; fence: string }, until: string): Promise<boolean>;
  retry(item: { id: string; fence: string }, at: string, error: string): Promise<boolean>;
  /** Given up: visible, never tried again by itself. */
  bury(item: { id: string; fence: string }, error: string): Promise<boolean>;
  buried(limit: number): Promise<{ id: string; error: string; at: string }[]>;
  /** A buried item gets another chance. */
  revive(id: string): Promise<boolean>;
  size(): Promise<{ waiting: number; busy: number; buried: number }>;
}

export interface Inbox extends Queue<Delivery> {
  /** One transaction for all; durable when it resolves. */
  put(deliveries: IncomingDelivery[]): Promise<('fresh' | 'duplicate')[]>;
  /** Which of these came before, handled or not. */
  known(ids: string[]): Promise<Set<string>>;
  /** Ids of buried deliveries of one installation of the App, newest first. */
  buriedOf(installation: number, limit: number): Promise<string[]>;
}

export interface OutgoingEffect {
  /** Operation id, unique and stable: `<run>.<version>.<index>`. */
  id: string;
  run: string;
  effect: Effect;
}

/** Effects of one run are performed in order. */
export type Outbox = Queue<OutgoingEffect>;

export interface HostedCommit extends Commit {
  /** With the first commit of a run. */
  place?: Place;
  /** Semantic keys of what is answered (`comment:<id>`): one that was seen before makes the commit do nothing. */
  seen?: string[];
}

export interface HostedStore {
  runs: Omit<RunStore, 'commit'> & {
    /** Events, state, effects (to the outbox), timers (`set_timer`, `clear_timer`) and `seen`: one transaction. */
    commit(
      run: string,
      expectedVersion: number,
      commit: HostedCommit,
    ): Promise<{ ok: true; version: number; duplicate: boolean } | { ok: false }>;
    /** Whether a commit with this key was made. */
    wasSeen(key: string): Promise<boolean>;
    place(run: string): Promise<Place | undefined>;
    /** The newest run of the issue. */
    ofIssue(repoId: number, issue: number): Promise<string | undefined>;
    /** Not finished, oldest first. */
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
  /** Small binary things of a run: the newest changeset, the sealed checkpoint. */
  blobs: {
    /** False: the run is not at that version any more, and nothing was kept. */
    put(run: string, name: string, bytes: Uint8Array, atVersion?: number): Promise<boolean>;
    get(run: string, name: string): Promise<Uint8Array | undefined>;
    forget(run: string): Promise<void>;
  };
  /** What we wrote on GitHub, by operation id, so that a lost response never doubles it. */
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
  /** Tickets start a job once; run tokens speak for it. Only hashes are stored. */
  tokens: {
    addTicket(ticket: {
      hash: string;
      run: string;
      job: number;
      kind: 'build' | 'verify';
      expires_at: string;
    }): Promise<void>;
    /** As it is, taken or not. */
    findTicket(hash: string): Promise<
      | {
          run: string;
          job: number;
          kind: 'build' | 'verify';
          expires_at: string;
          revoked: boolean;
          /** Who took it. */
          actions_run?: number;
          attempt?: number;
        }
      | undefined
    >;
    /** Once per Actions run; again for a later attempt of the same Actions run. */
    takeTicket(
      hash: string,
      actionsRun: number,
      attempt: number,
      now: string,
    ): Promise<{ run: string; job: number; kind: 'build' | 'verify' } | undefined>;
    addToken(token: { hash: string; run: string; job: number; kind: 'build' | 'verify' }): Promise<void>;
    findToken(hash: string): Promise<{ run: string; job: number; kind: 'build' | 'verify' } | undefined>;
    /** Every token and ticket of the run's jobs before `job`. */
    revokeBefore(run: string, job: number): Promise<void>;
    actionsRunOf(run: string, job: number): Promise<{ actions_run: number; attempt: number } | undefined>;
  };
  /** Last sign of life of a job, and other small marks (`cursor:<repo>`). */
  marks: {
    set(key: string, value: string): Promise<void>;
    get(key: string): Promise<string | undefined>;
  };
  vault: Vault;
  /** Calls back when another instance put something into inbox or outbox, or committed to a run. */
  onWake(listener: (what: 'inbox' | 'outbox' | `run:${string}`) => void): () => void;
  close(): Promise<void>;
}
