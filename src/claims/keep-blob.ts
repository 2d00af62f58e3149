import { isUnderWay, pendingEscalation, type RunState } from '../core/contracts/run-state.ts';
import type { DeskStore } from '../core/ports/hosted-store.ts';
import type { BlobName } from '../core/ports/job-api.ts';
import { copyLeftWork } from '../core/work/left-work.ts';
import { isAboutFinishedWork } from '../core/work/work-approvals.ts';
import { digestOf } from './digest-of.ts';

/** The run may change while its work is written; this many times in a row is a bug. */
const TRIES = 5;

type Kept = { kept: true } | { kept: false; why: 'closed'; reason: string } | { kept: false; why: 'busy' };

/**
 * The changeset is frozen while a person is asked about finished work and from the request to verify on, because exactly the
 * approved and verified work is published. An upload takes time, so the run is checked after the last byte, and the blob is
 * stored only if the run has not changed since.
 */
export async function keepBlob(
  { runs, blobs }: Pick<DeskStore, 'runs' | 'blobs'>,
  run: string,
  name: BlobName,
  bytes: Uint8Array,
  isVoid: (state: RunState) => boolean,
): Promise<Kept> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const { state, version } = await runs.load(run);
    const reason = !state || isVoid(state) ? 'This job was replaced.' : whyClosed(state, name);
    if (reason) return { kept: false, why: 'closed', reason };
    if (name === 'changeset' && state?.revision?.unpublished)
      await copyLeftWork(blobs, run, bytes, (text) => digestOf(Buffer.from(text)));
    if (await blobs.put(run, name, bytes, version)) return { kept: true };
  }
  return { kept: false, why: 'busy' };
}

function whyClosed(state: RunState, name: BlobName): string | undefined {
  if (!isUnderWay(state)) return `The run is over (${state.status}): nothing more is taken.`;
  const asked = pendingEscalation(state);
  if (name === 'changeset' && asked && isAboutFinishedWork(asked.triggers))
    return 'A person is asked about the finished work: the changeset stays as it is.';
  if (state.verifying === undefined) return undefined;
  // The checkpoint is neither verified nor published, and the job that requested the verification still has to park.
  return name === 'checkpoint' && state.job_live
    ? undefined
    : `The work is being verified: the ${name} stays as it is.`;
}
