import type { Effect } from '../contracts/effect.ts';
import type { Input } from '../contracts/input.ts';
import type { Rules } from '../contracts/rules.ts';
import type { RunEvent } from '../contracts/run-event.ts';
import type { RunState } from '../contracts/run-state.ts';
import type { RunStore } from '../ports/ports.ts';
import { type Handled, handle } from './handle.ts';

/** The desk of a terminal: effects are performed at once, in this process. */
export interface Desk {
  handleOnce(run: string, input: Input): Promise<RunState>;
  /** The same, except that nothing happens if a question is open. False then. */
  handleUnlessAsked(run: string, input: Input): Promise<boolean>;
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
  async function carryOut(run: string, handled: Handled | undefined): Promise<RunState> {
    if (!handled) throw noRun(run);
    onEvents(handled.events, handled.state);
    for (const effect of handled.effects) await perform(effect, handled.state);
    return handled.state;
  }
  return {
    async state(run) {
      const { state } = await store.load(run);
      if (!state) throw noRun(run);
      return state;
    },
    async handleUnlessAsked(run, input) {
      // Looked at with every load, because a question may be raised between two of them.
      const load: RunStore['load'] = async (id) => {
        const loaded = await store.load(id);
        if (loaded.state?.pending) throw new AskedMeanwhileError();
        return loaded;
      };
      try {
        await carryOut(
          run,
          await handle({ load, commit: (...of) => store.commit(...of) }, rules, run, input),
        );
        return true;
      } catch (error) {
        if (error instanceof AskedMeanwhileError) return false;
        throw error;
      }
    },
    async handleOnce(run, input) {
      return carryOut(run, await handle(store, rules, run, input));
    },
  };
}

class AskedMeanwhileError extends Error {
  override readonly name = 'AskedMeanwhileError';
}
