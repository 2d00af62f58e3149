import type { RunState } from '../../core/contracts/run-state.ts';
import { inputsByAnswer } from '../../core/secrets/secrets-of-run.ts';
import type { AppDependencies } from '../dependencies.ts';

/**
 * Deletes the values that people gave. A conversation in which they were given has them in it, so it goes as well: in a later
 * round nothing could find them in the agent's work any more.
 */
export async function forgetInputs({
  deps,
  state,
}: {
  deps: AppDependencies;
  state: RunState;
}): Promise<void> {
  const { vault, blobs } = deps.store;
  const given = inputsByAnswer(state).flatMap((inputs) => Object.values(inputs));
  // The conversation first: after a crash in between, this effect is performed again.
  if (given.some(({ actions_secret }) => !actions_secret))
    await blobs.put(state.run, 'checkpoint', new Uint8Array());
  await vault.forget(state.run);
}
