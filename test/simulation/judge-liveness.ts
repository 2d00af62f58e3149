import type { Dispatch } from '../../src/core/ports/dispatches.ts';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import type { Hub } from './desk.ts';
import type { FakeGitHub } from './fake-github.ts';
import { isIt, jobNeededBy, mayStart, type NeededJob, type Period, periodsOf } from './needed-job.ts';
import { LOOK_MS, WATCH_MS } from './world.ts';

/** R-13's 5 minutes, with looks of the desk that come later here than every second and every ten. */
const NOTICED_MS = 300_000 + LOOK_MS + WATCH_MS;
/** A call that was sent before a decision may take effect this much later, and later still if its desk stood still. */
const IN_FLIGHT_MS = 12_000;
const STALLED_MS = 62_000;

interface Span {
  from: number;
  until: number;
}

/**
 * a run at work has a job, or a dispatch of that very job which GitHub has not answered; without one, it is decided about
 * within 5 minutes. Only what nothing disturbed is measured.
 */
export async function judgeLiveness(hub: Hub, run: string): Promise<string[]> {
  const { store, github, world } = hub;
  const dispatches = await store.dispatches.ofRun(run, 1_000);
  const periods = await periodsOf({ store, committedAt: hub.committedAt, now: world.now }, run);
  return [
    ...checkGaps(hub, run, periods, dispatches),
    ...(await checkNumbers({ github, store, periods, stalls: stallsOf(hub) }, run)),
  ];
}

function checkGaps(
  { github, calmAt = Number.POSITIVE_INFINITY, limits }: Hub,
  run: string,
  periods: Period[],
  dispatches: Dispatch[],
): string[] {
  // A desk that GitHub limits learns of nothing.
  const calm = Math.max(calmAt, limits.until);
  return needsOf(periods).flatMap(({ needed, from, until }) => {
    const lives = dispatches
      .filter((dispatch) => isIt(needed, dispatch))
      .map((dispatch) => ({ from: Date.parse(dispatch.decided_at), until: endOf(dispatch, github) }))
      .sort((one, other) => one.from - other.from);
    let covered = Math.max(from, calm);
    let longest = 0;
    for (const life of [...lives, { from: until, until }]) {
      longest = Math.max(longest, Math.min(life.from, until) - covered);
      covered = Math.max(covered, life.until);
    }
    const name = needed.kind === 'build' ? `job ${needed.job}` : `verification ${needed.verification}`;
    return longest > NOTICED_MS
      ? [`R-13: ${run} had no ${name} for ${longest} ms, and nothing was done`]
      : [];
  });
}

function needsOf(periods: Period[]): (Span & { needed: NeededJob })[] {
  const needs: (Span & { needed: NeededJob })[] = [];
  for (const { state, from, until } of periods) {
    const needed = jobNeededBy(state);
    const last = needs.at(-1);
    if (!needed) continue;
    const goesOn = last?.until === from && JSON.stringify(last.needed) === JSON.stringify(needed);
    if (goesOn) last.until = until;
    else needs.push({ needed, from, until });
  }
  return needs;
}

/** When its job was over and GitHub's answer known, which is tried for again minutes after an outage; or nothing came of it. */
function endOf(
  { op, requested_at, answered_at, ended_at }: Dispatch,
  { runs }: Pick<FakeGitHub, 'runs'>,
): number {
  const started = runs.find(({ inputs }) => inputs.operation === op);
  const known = Date.parse(answered_at ?? ended_at ?? '') || Number.POSITIVE_INFINITY;
  if (started) return Math.max(started.ended ?? Number.POSITIVE_INFINITY, known);
  const answered = requested_at === undefined ? undefined : answered_at;
  return Date.parse(answered ?? ended_at ?? '') || Number.POSITIVE_INFINITY;
}

/** a job is started only while the run needs that very job. */
async function checkNumbers(
  {
    github,
    store,
    periods,
    stalls,
  }: { github: FakeGitHub; store: HostedStore; periods: Period[]; stalls: number[] },
  run: string,
): Promise<string[]> {
  const broken: string[] = [];
  for (const { at, method, args } of github.writes) {
    const op = (args[2] as Record<string, string> | undefined)?.operation;
    if (method !== 'dispatchWorkflow' || !op?.startsWith(`${run}.`)) continue;
    const dispatch = await store.dispatches.find(op);
    if (!dispatch) continue;
    const isStalled = stalls.some((stall) => stall <= at && stall > at - STALLED_MS);
    const since = at - IN_FLIGHT_MS - (isStalled ? STALLED_MS : 0);
    const present = periods.filter(({ from, until }) => from <= at && until >= since);
    if (!present.some(({ state }) => mayStart(state, dispatch)))
      broken.push(
        `R-13: job ${dispatch.job} (${dispatch.kind}) of ${run} was started, which it did not need (${op})`,
      );
  }
  return broken;
}

function stallsOf({ world }: Hub): number[] {
  return world.faults.happened.filter(({ kind }) => kind.includes('stall')).map(({ at }) => at);
}
