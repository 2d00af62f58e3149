import type { Effect } from '../contracts/effect.ts';
import type { Input } from '../contracts/input.ts';
import type { Rules } from '../contracts/rules.ts';
import type { RunEvent } from '../contracts/run-event.ts';
import type { RunState } from '../contracts/run-state.ts';
import type { RunStore } from '../ports/ports.ts';
import type { HostedCommit } from '../ports/run-log.ts';
import { decide } from './decide.ts';
import { evolve } from './evolve.ts';

/** A caller that loses the compare-and-swap decides again; this many losses in a row are a bug, not contention. */
const TRIES = 20;

/** The store behind the door: the run log of a desk on GitHub, or the journal of a terminal. */
interface Log extends Pick<RunStore, 'load'> {
  commit(
    run: string,
    expectedVersion: number,
    commit: HostedCommit,
  ): Promise<{ ok: true; version: number; duplicate?: boolean } | { ok: false }>;
}

export interface Handled {
  state: RunState;
  version: number;
  events: RunEvent[];
  effects: Effect[];
  /** One of `seen` was answered before, so nothing was done. */
  duplicate: boolean;
}

/**
 * The only way into a run: load, decide, commit; after a lost race, again. Effects are committed with the decision. Undefined if
 * there is no such run and the input does not start one.
 */
export async function handle(
  log: Log,
  rules: Rules,
  run: string,
  input: Input,
  records: Pick<HostedCommit, 'seen' | 'target' | 'labelling' | 'unwritten' | 'lockedOut'> = {},
): Promise<Handled | undefined> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const { version, state } = await log.load(run);
    const { events, effects } = decide(state, input, rules);
    if (!state && events.length === 0) return undefined;
    const committed = await log.commit(run, version, { input, events, effects, ...records });
    if (!committed.ok) continue;
    if (committed.duplicate) {
      const present = await log.load(run);
      const known = present.state ?? state;
      return known && { state: known, version: present.version, events: [], effects: [], duplicate: true };
    }
    const after = events.reduce<RunState | undefined>(evolve, state);
    if (!after) throw new Error(`The decision for run ${run} left no run.`);
    return { state: after, version: committed.version, events, effects, duplicate: false };
  }
  throw new Error(`Run ${run} changed ${TRIES} times under one decision.`);
}
