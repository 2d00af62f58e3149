import { createHash } from 'node:crypto';
import { adoptComments } from '../app/adopt-comments.ts';
import type { AppDependencies } from '../app/dependencies.ts';
import { drainLanes } from '../app/workers/drain-lanes.ts';
import { fireTimers } from '../app/workers/workers.ts';
import { phaseOf } from '../core/contracts/run-state.ts';
import { capabilitiesOf, permissionsOf } from './capabilities.ts';
import type { DeskParts, IssueState } from './desk-parts.ts';
import { createDeskStore } from './desk-store.ts';
import { createOwnJobs, type OwnJobs } from './own-jobs.ts';
import { ownershipOf } from './tell-once.ts';
import { tryAgain } from './try-again.ts';
import { withoutAsking } from './without-asking.ts';

/** A job is given up by Actions only after hours; a desk has nothing to wait for that long. */
const DRAIN_MS = 4 * 60_000;
/** One machine looks after many issues, and one that GitHub fails for must not take the time of all. */
const REMIND_DRAIN_MS = 40_000;
/** For the last save. */
const SAVE_MS = 30_000;
const MOST_REVIVED = 100;

/** One issue, open for this desk alone. */
export interface OpenDesk {
  deps: AppDependencies;
  jobs: OwnJobs;
  issue: number;
  state: IssueState;
}

/** Everything that handlers and effects need, around the state of an issue. */
export async function openDesk(parts: DeskParts, issue: number, state: IssueState): Promise<OpenDesk> {
  const { job } = parts;
  const github = withoutAsking(parts);
  const store = createDeskStore(state);
  const jobs = createOwnJobs(job, state.save);
  const deps: AppDependencies = {
    store,
    jobs,
    rules: parts.rules,
    agents: parts.agents,
    github: async () => github,
    mustStop: parts.isTakenOver,
    ownership: ownershipOf(parts),
    settings: {
      webUrl: job.webUrl,
      label: job.label,
      defaults: job.defaults,
      capabilities: capabilitiesOf(parts),
      permissions: permissionsOf(job.workflow),
    },
    now: job.now,
    monotonicMs: () => performance.now(),
    hash: (text) => createHash('sha256').update(text).digest('hex'),
    fetch: () => Promise.reject(new Error('This desk has no address to notify.')),
    log: job.log,
  };
  // Every desk is another try for what GitHub refused: a person may have changed a setting since.
  for (const { id } of await store.outbox.buried(MOST_REVIVED)) await store.outbox.revive(id);
  await store.timers.reviveAll();
  await adoptAfterDeath(deps, parts, issue);
  return { deps, jobs, issue, state };
}

/** The desk before this one may have been killed while it wrote, so that the state does not know of its last comments. */
async function adoptAfterDeath(
  deps: AppDependencies,
  { job, github }: DeskParts,
  issue: number,
): Promise<void> {
  const { cursors, runs, publications } = deps.store;
  const since = (await cursors.get('performing', 'all'))?.since;
  if (since === undefined) return;
  const run = await runs.ofIssue(job.repoId, issue);
  const pull = run === undefined ? undefined : (await publications.of(run)).pull;
  for (const number of pull === undefined ? [issue] : [issue, pull])
    await tryAgain(job, () => adoptComments(deps, github, number, since));
}

/** Fires what is due, saves what was decided, performs it, and gives the state back. `beforeLeaving` decides the rest. */
export async function closeDesk<Result>(
  parts: DeskParts,
  { deps, state, issue }: OpenDesk,
  beforeLeaving: () => Promise<Result>,
): Promise<Result> {
  const { job } = parts;
  while (await fireTimers(deps));
  // Before anything is written to GitHub: a desk that is killed from here on is followed by one that knows what was decided.
  const { cursors } = deps.store;
  await cursors.set('performing', 'all', { since: job.now().toISOString() });
  await state.save();
  const drainMs = job.part === 'remind' ? REMIND_DRAIN_MS : DRAIN_MS;
  const until = Math.min(job.now().getTime() + drainMs, job.endsAt.getTime() - SAVE_MS);
  await drainLanes(deps, { until: new Date(until), sleep: job.sleep });
  await cursors.set('performing', 'all', {});
  const result = await beforeLeaving();
  const run = await deps.store.runs.ofIssue(job.repoId, issue);
  const last = run === undefined ? undefined : (await deps.store.runs.load(run)).state;
  const ended = last && phaseOf(last) === 'ended' ? last.updated_at : undefined;
  await state.release({ ended });
  // The end of a run is rare enough to look for old ones then, and it can fail without harm.
  if (ended !== undefined)
    await parts.removeOldStates().catch((error: unknown) => {
      job.log.warn({ error: String(error) }, 'old states could not be removed');
    });
  return result;
}
