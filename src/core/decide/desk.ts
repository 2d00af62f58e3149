import type { Effect } from '../contracts/effect.ts';
import type { Input } from '../contracts/input.ts';
import type { Rules } from '../contracts/rules.ts';
import type { RunEvent } from '../contracts/run-event.ts';
import type { RunState } from '../contracts/run-state.ts';
import type { RunStore } from '../ports/ports.ts';
import { decide } from './decide.ts';
import { evolve } from './evolve.ts';

/** After a lost compare-and-swap the run is loaded and decided again. This many losses in a row are a fault, not contention. */
export const COMMIT_TRIES = 20;

export interface Desk {
  /** Loads, decides, commits and performs the effects. Idempotent for inputs whose id the store remembers. */
  handleOnce(run: string, input: Input): Promise<RunState>;
  state(run: string): Promise<RunState>;
}

export function createDesk({
  store,
  rules,
  onEvents,
  perform,
}: {
  store: RunStore;
  rules: Rules;
  /** Called after the events are journalled. */
  onEvents(events: RunEvent[], state: RunState): void;
  perform(effect: Effect, state: RunState): Promise<void>;
}): Desk {
  const load = async (run: string): Promise<RunState> => {
    const { state } = await store.load(run);
    if (!state) throw new Error(`There is no run ${run} in this store.`);
    return state;
  };
  return {
    state: load,
    async handleOnce(run, input) {
      for (let attempt = 0; attempt < COMMIT_TRIES; attempt += 1) {
        const { version, state } = await store.load(run);
        const { events, effects } = decide(state, input, rules);
        if (!state && events.length === 0) throw new Error(`There is no run ${run} in this store.`);
        const committed = await store.commit(run, version, { input, events, effects });
        if (!committed.ok) continue;
        let after = state;
        for (const event of events) after = evolve(after, event);
        if (!after) throw new Error(`The decision for run ${run} left no run.`);
        onEvents(events, after);
        for (const effect of effects) await perform(effect, after);
        return after;
      }
      throw new Error(`Run ${run} changed ${COMMIT_TRIES} times under one decision.`);
    },
  };
}
