import type { Effect } from '../contracts/effect.ts';
import type { Envelope } from '../contracts/envelope.ts';
import type { Input } from '../contracts/input.ts';
import type { Orders } from '../contracts/orders.ts';
import type { RunEvent } from '../contracts/run-event.ts';
import type { RunState } from '../contracts/run-state.ts';

/** One decision, stored whole or not at all. */
export interface Commit {
  input: Input;
  events: RunEvent[];
  effects: Effect[];
}

/** Per run, no joins. `commit` is a compare-and-swap: a loser loads again and decides again. */
export interface RunStore {
  load(run: string): Promise<{ version: number; state: RunState | undefined }>;
  commit(
    run: string,
    expectedVersion: number,
    commit: Commit,
  ): Promise<{ ok: true; version: number } | { ok: false }>;
}

/** Between a job and the desk. */
export interface Link {
  report(envelope: Envelope): Promise<Orders>;
  /** Resolves when the orders are no longer to wait, or when the signal aborts (then the present ones). */
  ordersAfterWait(signal: AbortSignal): Promise<Orders>;
  orders(): Promise<Orders>;
  /** Values by reference, for the agent; each call is a read of the vault. */
  openInputs(refs: string[]): Promise<Record<string, string>>;
}

/** Values given by people: in here and nowhere else. */
export interface Vault {
  put(run: string, key: string, value: string): Promise<string>;
  open(run: string, refs: string[]): Promise<Record<string, string>>;
  forget(run: string): Promise<void>;
}
