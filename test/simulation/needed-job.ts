import { phaseOf, type RunState, verificationName } from '../../src/core/contracts/run-state.ts';
import { evolve } from '../../src/core/decide/evolve.ts';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';

/** A job of a run by its number, or a verification by its name. */
export type NeededJob = { kind: 'build'; job: number } | { kind: 'verify'; verification: string };

/** The run as it was until its next decision. */
export interface Period {
  from: number;
  until: number;
  state: RunState;
}

/** From its decisions and the times at which they were committed. */
export async function periodsOf(
  { store, committedAt, now }: { store: HostedStore; committedAt: ReadonlyMap<string, number>; now: number },
  run: string,
): Promise<Period[]> {
  const periods: Period[] = [];
  let state: RunState | undefined;
  for (const { version, commit } of await store.runs.events(run)) {
    for (const event of commit.events) state = evolve(state, event);
    const from = committedAt.get(`${run}.${version}`);
    if (!state || from === undefined) continue;
    const last = periods.at(-1);
    if (last) last.until = from;
    periods.push({ from, until: now, state });
  }
  return periods;
}

/** The job that a run at work has or waits for. Said here again, because the product's rule is what is tested. */
export function jobNeededBy(state: RunState): NeededJob | undefined {
  if (phaseOf(state) !== 'working') return undefined;
  if (state.job_live) return { kind: 'build', job: state.jobs };
  if (state.verifying !== undefined) return { kind: 'verify', verification: verificationName(state) };
  return { kind: 'build', job: state.jobs + 1 };
}

/** A verification may be asked for while the job whose work it checks still ends. */
export function mayStart(
  state: RunState,
  { kind, job, verification }: { kind: string; job: number; verification?: string },
): boolean {
  if (phaseOf(state) !== 'working') return false;
  if (kind === 'verify') return state.verifying !== undefined && verification === verificationName(state);
  return !state.job_live && state.verifying === undefined && job === state.jobs + 1;
}

export function isIt(
  needed: NeededJob | undefined,
  { kind, job, verification }: { kind: string; job: number; verification?: string },
): boolean {
  if (!needed || needed.kind !== kind) return false;
  return needed.kind === 'build' ? needed.job === job : needed.verification === verification;
}
