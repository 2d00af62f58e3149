import type { Generated, Kysely, Transaction } from 'kysely';
import type { RunPhase } from '../../core/contracts/run-state.ts';

/** Times are milliseconds (`_ms`), because one moment has several texts and each database sorts texts in its own way. */
export interface Tables {
  runs: RunsTable;
  journal: { run: string; version: number; body: string };
  seen: SeenTable;
  timers: TimersTable;
  inbox: QueueTable;
  outbox: OutboxTable;
  lanes: { lane: string; fence: string; until_ms: number };
  blobs: { run: string; name: string; bytes: Uint8Array };
  sent_comments: SentCommentsTable;
  dispatches: DispatchesTable;
  publications: { run: string; repo_id: number | null; pull: number | null; body: string };
  own_commits: { seq: Generated<number>; repo_id: number; issue: number; sha: string };
  labellings: { run: string; event: number | null; at: string };
  cursors: { name: string; key: string; body: string; at_ms: number };
  tickets: TicketsTable;
  tokens: { hash: string; run: string; job: number; kind: 'build' | 'verify'; op: string | null };
  inputs: { ref: string; run: string; key: string; sealed: Uint8Array };
  settings: { name: string; value: Uint8Array };
  sessions: { hash: string; family: string; login: string; made_ms: number; until_ms: number };
  spending: { repo_id: number; month: string; dollars: number };
}

interface RunsTable {
  /** Newer runs have higher numbers. */
  seq: Generated<number>;
  run: string;
  version: number;
  /** The fold of the journal up to `version`, so that loading never reads the journal. */
  state: string;
  phase: RunPhase;
  /** The part of the state that lists need. Missing until the first commit of this version. */
  summary: string | null;
  place: string | null;
  repo_id: number | null;
  issue: number | null;
  /** When the run got its slot, see `Slots`. */
  slot_ms: number | null;
  /** Since when it waits for one. */
  queued_ms: number | null;
  /** Null while the run has not ended. */
  ended_ms: number | null;
}

/** Keys of answered sources, over all runs. */
interface SeenTable {
  key: string;
  /** Empty for an issue or pull request without a run. */
  run: string;
  /** The issue of the run, or that issue or pull request. Missing for a run without a place, and in rows of older versions. */
  repo_id: number | null;
  issue: number | null;
  at_ms: number;
}

interface TimersTable {
  run: string;
  timer: string;
  /** The time it was set to. */
  at: string;
  at_ms: number;
  /** When it fires next: later than `at_ms` after a failure, null if it was given up. */
  due_ms: number | null;
  attempts: Generated<number>;
}

type QueueState = 'waiting' | 'busy' | 'buried' | 'done';

/** The columns that inbox and outbox share. */
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
  /** Missing where it is not known. */
  installation: number | null;
}

interface OutboxTable extends QueueTable {
  run: string | null;
  slot: string;
  rank: number;
}

export interface SentCommentsTable {
  seq: Generated<number>;
  op: string;
  run: string | null;
  kind: string | null;
  tried_ms: number;
  comment_id: number | null;
  node_id: string | null;
  body_hash: string | null;
  escalation: string | null;
  minimised: Generated<number>;
}

export interface DispatchesTable {
  seq: Generated<number>;
  op: string;
  run: string;
  job: number;
  kind: 'build' | 'verify';
  verification: string | null;
  decided_ms: number;
  requested_ms: number | null;
  answered_ms: number | null;
  actions_run: number | null;
  attempt: number | null;
  claimed_ms: number | null;
  working_ms: number | null;
  heard_ms: number | null;
  silent_ms: number | null;
  stopping_ms: number | null;
  ended_ms: number | null;
  outcome: string | null;
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
  op: string | null;
  nonce: string | null;
}

export type Db = Kysely<Tables>;
export type Trx = Transaction<Tables>;
