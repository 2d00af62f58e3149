import type { RunState } from '../core/contracts/run-state.ts';
import { briefFor } from '../core/decide/orders/brief-for.ts';
import type { Dispatch } from '../core/ports/dispatches.ts';
import type { HeldBrief } from '../core/ports/held-brief.ts';
import type { DeskStore } from '../core/ports/hosted-store.ts';
import type { RunTarget } from '../core/ports/run-target.ts';
import { inputsByAnswer } from '../core/secrets/secrets-of-run.ts';
import { jobPlace } from '../core/work/round-head.ts';

/** Everything that a build needs of the desk, which is gone by then. */
export async function holdBrief(
  { vault, blobs }: Pick<DeskStore, 'vault' | 'blobs'>,
  { state, version, target }: { state: RunState; version: number; target: RunTarget },
  { op, job }: Dispatch,
  keys: HeldBrief['keys'],
): Promise<HeldBrief> {
  const { run } = state;
  const changeset = await blobs.get(run, 'changeset');
  const inputs: HeldBrief['inputs'] = {};
  for (const given of inputsByAnswer(state))
    for (const [key, { ref, actions_secret }] of Object.entries(given)) {
      const value = actions_secret ? undefined : (await vault.open(run, [ref]))[key];
      if (value !== undefined) inputs[ref] = { key, value };
    }
  return {
    operation: op,
    // A later attempt of the same Actions run continues as the same job.
    brief: { ...briefFor(state), job },
    place: jobPlace(state, target),
    state,
    version,
    inputs,
    keys,
    changeset: changeset && Buffer.from(changeset).toString('base64'),
  };
}
