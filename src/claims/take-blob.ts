import type { RunState } from '../core/contracts/run-state.ts';
import { type BlobName, isOver } from '../core/ports/job-api.ts';
import { whyNotAccepted } from './accept-changeset.ts';
import type { ClaimsDesk } from './claims-desk.ts';
import { keepBlob } from './keep-blob.ts';

type TakenBlob =
  | { taken: true }
  /** `invalid`: nobody could use it. `closed`: the run wants none now. `busy`: the run changes too fast, try again. */
  | { taken: false; why: 'invalid' | 'closed'; reason: string }
  | { taken: false; why: 'busy' };

/** Stores the work or the checkpoint of a build job, unless it is invalid or comes too late. */
export async function takeBlob(
  desk: ClaimsDesk,
  { run, job }: { run: string; job: number },
  name: BlobName,
  bytes: Uint8Array,
): Promise<TakenBlob> {
  const problem = name === 'changeset' ? await whyNotAccepted(desk, { run, job }, bytes) : undefined;
  if (problem) return { taken: false, why: 'invalid', reason: problem };
  const kept = await keepBlob(desk.store, run, name, bytes, (state: RunState) => isOver(job, state));
  if (kept.kept) return { taken: true };
  return kept.why === 'busy' ? { taken: false, why: 'busy' } : { ...kept, taken: false };
}
