import type * as z from 'zod';
import type { AppDependencies } from '../app/dependencies.ts';
import { takeVerification } from '../claims/take-verification.ts';
import { isUnderWay, verificationName } from '../core/contracts/run-state.ts';
import type { Dispatch } from '../core/ports/dispatches.ts';
import { isOfVerification, type VerificationRequest } from '../core/ports/job-api.ts';
import { noteDropped } from './note-dropped.ts';

/**
 * Takes in the result of a verification, if the run waits for one. It may have been made before anybody asked for it, because a
 * build that is complete is verified at once. Then it counts only if the run asks for it now: an approval may be missing.
 */
export async function takeResult(
  deps: AppDependencies,
  dispatch: Dispatch,
  result: z.infer<typeof VerificationRequest> | undefined,
): Promise<void> {
  const { store, log } = deps;
  const { op, run, kind, verification } = dispatch;
  const { state } = await store.runs.load(run);
  if (!result || !state || !isUnderWay(state) || state.verifying === undefined) return;
  if (kind === 'verify' && !isOfVerification(verification, state)) return;
  const name = verificationName(state);
  if (!(await takeVerification(deps, state, result, { seen: `verification:${op}:${name}` }))) {
    log.warn(
      { run },
      'what was verified is not the work of the run, or not by its checks: the result does not count',
    );
    await noteDropped(deps, dispatch, { 'a verification of other work, or by other checks': 1 }, 'result');
    return;
  }
  const now = (await store.now()).toISOString();
  for (const other of await store.dispatches.open(run))
    if (other.op !== op && other.kind === 'verify' && other.verification === name)
      await store.dispatches.change(other.op, { ended_at: now, outcome: 'it was verified already' });
}
