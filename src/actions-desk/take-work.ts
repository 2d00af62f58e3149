import type { AppDependencies } from '../app/dependencies.ts';
import { takeBlob } from '../claims/take-blob.ts';
import { takeClaim } from '../claims/take-claim.ts';
import type { Envelope } from '../core/contracts/envelope.ts';
import { isUnderWay } from '../core/contracts/run-state.ts';
import type { Dispatch } from '../core/ports/dispatches.ts';
import type { BlobName } from '../core/ports/job-api.ts';
import { noteDropped } from './note-dropped.ts';

type WorkEntry = { type: 'claim'; envelope: Envelope } | { type: 'blob'; name: BlobName; bytes: Uint8Array };

/**
 * All claims of one job, in characters. A job of six hours says a tenth of it. Without a bound, a few jobs of an agent that writes
 * claims itself would make a state that no ref can hold.
 */
const MOST_CHARS = 2 * 1024 * 1024;
const TOO_MUCH = 'beyond the 2 MiB that one job may say';
const TOO_LATE = 'work that came too late';
/** Claims that the rules refuse, as people are told of them. Those of a run that is over, and repeated ones, are no news. */
const REFUSED: Partial<Record<string, string>> = {
  over: 'said after the run had stopped this job',
  'unknown protocol': 'of an unknown version',
};

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
export async function takeWork(deps: AppDependencies, dispatch: Dispatch, readWork: ReadWork): Promise<void> {
  const { store, log } = deps;
  const { op, run, job, claimed_at, attempt = 1 } = dispatch;
  const began = new Date(claimed_at ?? deps.now());
  const { entries, isLastWordThere, skipped } = readWork({ op, run, job, began });
  log.info({ run, job, entries: entries.length, isLastWordThere, skipped }, 'the build left its work');
  let left = MOST_CHARS;
  const dropped: Record<string, number> = {};
  const reasons = { ...skipped };
  const count = (reason: string | undefined) => {
    if (reason !== undefined) reasons[reason] = (reasons[reason] ?? 0) + 1;
  };
  for (const entry of entries) {
    if (entry.type === 'blob') {
      const kept = await takeBlob(deps, { run, job }, entry.name, entry.bytes);
      if (kept.taken) continue;
      log.info({ run, job, blob: entry.name, ...kept }, 'this part of the work is not kept');
      // People are told of an invalid one by itself.
      if (kept.why === 'closed' && (await isOpen(deps, run))) count(TOO_LATE);
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
    if (said.taken) continue;
    log.info({ run, job, claim: envelope.type, why: said.why }, 'this claim does not count');
    count(REFUSED[said.why]);
  }
  if (Object.keys(dropped).length > 0)
    log.warn({ run, job, dropped, most: MOST_CHARS }, 'the job said more than is taken from one job');
  for (const times of Object.values(dropped)) reasons[TOO_MUCH] = (reasons[TOO_MUCH] ?? 0) + times;
  await noteDropped(deps, dispatch, reasons, 'work');
}

/** Nobody expects that a run which is over takes anything in. */
async function isOpen({ store }: AppDependencies, run: string): Promise<boolean> {
  const { state } = await store.runs.load(run);
  return state !== undefined && isUnderWay(state);
}
