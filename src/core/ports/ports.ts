import type { Effect } from '../contracts/effect.ts';
import type { Envelope } from '../contracts/envelope.ts';
import type { Input } from '../contracts/input.ts';
import type { Orders } from '../contracts/orders.ts';
import type { RunEvent } from '../contracts/run-event.ts';
import type { RunState } from '../contracts/run-state.ts';

/** One decision, stored atomically. */
export interface Commit {
  input: Input;
  events: RunEvent[];
  effects: Effect[];
}

/** `commit` is a compare-and-swap on the run's version. A caller that loses loads the run and decides again. */
export interface RunStore {
  load(run: string): Promise<{ version: number; state: RunState | undefined }>;
  commit(
    run: string,
    expectedVersion: number,
    commit: Commit,
  ): Promise<{ ok: true; version: number } | { ok: false }>;
}

/** The connection from a job to the desk. */
export interface Link {
  report(envelope: Envelope): Promise<Orders>;
  /** Resolves when the orders are no longer to wait, or with the current orders when the signal aborts. */
  ordersAfterWait(signal: AbortSignal): Promise<Orders>;
  orders(): Promise<Orders>;
  /** Reads values from the vault by reference, to pass them to the agent. */
  openInputs(refs: string[]): Promise<Record<string, string>>;
}

/** The only place where values that people gave are stored. */
export interface Vault {
  put(run: string, key: string, value: string): Promise<string>;
  open(run: string, refs: string[]): Promise<Record<string, string>>;
  forget(run: string): Promise<void>;
}
