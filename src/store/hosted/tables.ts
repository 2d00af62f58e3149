import type { Generated, Kysely, Transaction } from 'kysely';

/** Times are milliseconds (`_ms`), because one moment has several texts and each database sorts texts in its own way. */
export interface Tables {
  runs: RunsTable;
  journal: { run: string; version: number; body: string };
  /** Idempotency keys of handled inputs, across all runs. */
  seen: { key: string; run: string };
  timers: { run: string; timer: string; at: string; at_ms: number };
  inbox: QueueTable;
  outbox: QueueTable;
  blobs: { run: string; name: string; bytes: Uint8Array };
  comments: CommentsTable;
  tickets: TicketsTable;
  tokens: { hash: string; run: string; job: number; kind: 'build' | 'verify' };
  marks: { key: string; value: string };
  inputs: { ref: string; run: string; key: string; sealed: Uint8Array };
  settings: { name: string; value: Uint8Array };
}

interface RunsTable {
  /** Newer runs have higher numbers. */
  seq: Generated<number>;
  run: string;
  version: number;
  /** The fold of the journal up to `version`, so that loading never reads the journal. */
  state: string;
  finished: number;
  place: string | null;
  repo_id: number | null;
  issue: number | null;
}

type QueueState = 'waiting' | 'busy' | 'buried' | 'done';

/** Inbox and outbox have the same columns and the same rules. */
export interface QueueTable {
  seq: Generated<number>;
  id: string;
  lane: string;
  kind: string;
  body: Uint8Array;
  put_ms: number;
  state: Generated<QueueState>;
  /** For a waiting row, the earliest time to claim it; for a busy row, the end of its lease. */
  due_ms: Generated<number>;
  attempts: Generated<number>;
  fence: string | null;
  claimed_ms: number | null;
  error: string | null;
}

interface CommentsTable {
  seq: Generated<number>;
  run: string;
  op: string;
  comment_id: number;
  node_id: string;
  body_hash: string;
}

interface TicketsTable {
  hash: string;
  run: string;
  job: number;
  kind: 'build' | 'verify';
  expires_ms: number;
  revoked: Generated<number>;
  actions_run: number | null;
  attempt: number | null;
}

export type Db = Kysely<Tables>;
export type Trx = Transaction<Tables>;
