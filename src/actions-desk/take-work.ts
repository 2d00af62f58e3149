import type { AppDependencies } from '../app/dependencies.ts';
import { write } from '../app/handle-input.ts';
import { takeBlob } from '../claims/take-blob.ts';
import { takeClaim } from '../claims/take-claim.ts';
import type { Envelope } from '../core/contracts/envelope.ts';
import type { Dispatch } from '../core/ports/dispatches.ts';
import type { BlobName } from '../core/ports/job-api.ts';

type WorkEntry = { type: 'claim'; envelope: Envelope } | { type: 'blob'; name: BlobName; bytes: Uint8Array };

/**
 * All claims of one job, in characters. A job of six hours says a tenth of it. Without a bound, a few jobs of an agent that writes
 * claims itself would make a state that no ref can hold.
 */
const MOST_CHARS = 2 * 1024 * 1024;
const TOO_MUCH = 'beyond the 2 MiB that one job may say';

/** Reads what a build left, in its order. The agent may have written all of it, so it never throws. */
export type ReadWork = (job: { op: string; run: string; job: number; began: Date }) => {
  entries: readonly WorkEntry[];
  isLastWordThere: boolean;
  skipped: Record<string, number>;
};

/**
 * Passes the claims and the work of a build to the rules, as if it had said them while it worked. Whatever the job decided for
 * itself counts for nothing.
 */
export async function takeWork(
  deps: AppDependencies,
  { op, run, job, claimed_at, attempt = 1 }: Dispatch,
  readWork: ReadWork,
): Promise<void> {
  const { store, log } = deps;
  const began = new Date(claimed_at ?? deps.now());
  const { entries, isLastWordThere, skipped } = readWork({ op, run, job, began });
  log.info({ run, job, entries: entries.length, isLastWordThere, skipped }, 'the build left its work');
  let left = MOST_CHARS;
  const dropped: Record<string, number> = {};
  const reasons = { ...skipped };
  for (const entry of entries) {
    if (entry.type === 'blob') {
      const kept = await takeBlob(deps, { run, job }, entry.name, entry.bytes);
      if (!kept.taken) log.info({ run, job, blob: entry.name, ...kept }, 'this part of the work is not kept');
      continue;
    }
    const { envelope } = entry;
    const size = JSON.stringify(envelope).length;
    if (size > left) {
      dropped[envelope.type] = (dropped[envelope.type] ?? 0) + 1;
      continue;
    }
    left -= size;
    const { state } = await store.runs.load(run);
    if (!state) return;
    const seen = `claim:${op}:${attempt}:${envelope.seq}`;
    const said = await takeClaim(deps, state, envelope, { seen, at: envelope.at });
    if (!said.taken) log.info({ run, job, claim: envelope.type, why: said.why }, 'this claim does not count');
  }
  if (Object.keys(dropped).length > 0)
    log.warn({ run, job, dropped, most: MOST_CHARS }, 'the job said more than is taken from one job');
  for (const times of Object.values(dropped)) reasons[TOO_MUCH] = (reasons[TOO_MUCH] ?? 0) + times;
  if (Object.keys(reasons).length === 0) return;
  await store.cursors.set('dropped', run, { job, reasons });
  await write(deps, run, [{ type: 'update_status' }], [`dropped:${op}:${attempt}`]);
}
