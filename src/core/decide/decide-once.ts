import type { Input } from '../contracts/input.ts';
import type { Rules } from '../contracts/rules.ts';
import type { RunEvent } from '../contracts/run-event.ts';
import type { RunState } from '../contracts/run-state.ts';
import type { HostedStore } from '../ports/hosted-ports.ts';
import { decide } from './decide.ts';
import { evolve } from './evolve.ts';

/** A loser of the compare-and-swap loads again and decides again; this many in a row is a fault, not contention. */
const TRIES = 20;

export interface Decided {
  state: RunState;
  version: number;
  events: RunEvent[];
  /** One of `seen` was answered before: nothing was done. */
  duplicate: boolean;
}

/** Loads, decides and commits; effects go to the outbox in the same transaction. Undefined: there is no such run. */
export async function decideOnce(
  runs: HostedStore['runs'],
  rules: Rules,
  run: string,
  input: Input,
  seen: string[],
): Promise<Decided | undefined> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const { version, state } = await runs.load(run);
    if (!state) return undefined;
    const { events, effects } = decide(state, input, rules);
    const committed = await runs.commit(run, version, { input, events, effects, seen });
    if (!committed.ok) continue;
    if (committed.duplicate) {
      const present = await runs.load(run);
      return {
        state: present.state ?? state,
        version: present.version,
        events: [],
        duplicate: true,
      };
    }
    let after = state;
    for (const event of events) after = evolve(after, event);
    return { state: after, version: committed.version, events, duplicate: false };
  }
  throw new Error(`Run ${run} changed ${TRIES} times under one decision.`);
}
