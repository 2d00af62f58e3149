import type { Input } from '../contracts/input.ts';
import type { Rules } from '../contracts/rules.ts';
import type { RunEvent } from '../contracts/run-event.ts';
import type { RunState } from '../contracts/run-state.ts';
import type { HostedStore } from '../ports/hosted-ports.ts';
import { decide } from './decide.ts';
import { COMMIT_TRIES } from './desk.ts';
import { evolve } from './evolve.ts';

export interface Decided {
  state: RunState;
  version: number;
  events: RunEvent[];
  /** One of the keys in `seen` was handled before, so nothing was done. */
  duplicate: boolean;
}

/** Loads, decides and commits. Effects go to the outbox in the same transaction. Undefined: the run does not exist. */
export async function decideOnce(
  runs: HostedStore['runs'],
  rules: Rules,
  run: string,
  input: Input,
  seen: string[],
): Promise<Decided | undefined> {
  for (let attempt = 0; attempt < COMMIT_TRIES; attempt += 1) {
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
  throw new Error(`Run ${run} changed ${COMMIT_TRIES} times under one decision.`);
}
