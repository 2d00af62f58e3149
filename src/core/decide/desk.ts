import type { Effect } from '../contracts/effect.ts';
import type { Input } from '../contracts/input.ts';
import type { Rules } from '../contracts/rules.ts';
import type { RunEvent } from '../contracts/run-event.ts';
import type { RunState } from '../contracts/run-state.ts';
import type { RunStore } from '../ports/ports.ts';
import { handle } from './handle.ts';

/** The desk of a terminal: effects are performed at once, in this process. */
export interface Desk {
  handleOnce(run: string, input: Input): Promise<RunState>;
  state(run: string): Promise<RunState>;
}

export function createDesk(options: {
  store: RunStore;
  rules: Rules;
  /** Called after the events are journalled. */
  onEvents(events: RunEvent[], state: RunState): void;
  perform(effect: Effect, state: RunState): Promise<void>;
}): Desk {
  const { store, rules, onEvents, perform } = options;
  const noRun = (run: string) => new Error(`There is no run ${run} in this store.`);
  return {
    async state(run) {
      const { state } = await store.load(run);
      if (!state) throw noRun(run);
      return state;
    },
    async handleOnce(run, input) {
      const handled = await handle(store, rules, run, input);
      if (!handled) throw noRun(run);
      onEvents(handled.events, handled.state);
      for (const effect of handled.effects) await perform(effect, handled.state);
      return handled.state;
    },
  };
}
