import { type ResolutionFigures, resolutionFigures } from '../core/analytics.ts';
import type { RunStatus } from '../core/contracts/run-event.ts';
import type { RunState } from '../core/contracts/run-state.ts';
import type { HostedStore } from '../core/ports/hosted-store.ts';

/** a job without a heartbeat for longer than this counts as silent. */
const SILENT_AFTER_MS = 180_000;

/** If more runs are active, only the oldest are measured. */
const MAX_ACTIVE = 500;
/** The resolution rate is computed from the questions of this many newest runs. */
const NEWEST_RUNS = 200;

type QueueSize = Awaited<ReturnType<HostedStore['inbox']['size']>>;

export interface DeskFigures {
  queues: Record<'inbox' | 'outbox', QueueSize>;
  active: Partial<Record<RunStatus, number>>;
  /** Runs that wait for a person. */
  waiting: number;
  jobs: { live: number; silent: number; longest_silence_ms: number };
  resolution: ResolutionFigures;
}

export async function measureDesk(store: HostedStore): Promise<DeskFigures> {
  const [inbox, outbox, active, newest] = await Promise.all([
    store.inbox.size(),
    store.outbox.size(),
    store.runs.inPhase('working', 'waiting'),
    store.runs.list(NEWEST_RUNS),
  ]);
  const running = await loadAll(store, active.slice(0, MAX_ACTIVE));
  const known = new Map(running.map((state) => [state.run, state]));
  const others = await loadAll(
    store,
    newest.filter((run) => !known.has(run)),
  );
  const recent = [...others, ...newest.flatMap((run) => known.get(run) ?? [])];
  const byStatus: DeskFigures['active'] = {};
  for (const { status } of running) byStatus[status] = (byStatus[status] ?? 0) + 1;
  return {
    queues: { inbox, outbox },
    active: byStatus,
    waiting: running.filter((state) => state.pending).length,
    jobs: await measureJobs(store, running),
    resolution: resolutionFigures(
      recent.flatMap(({ escalations }) => escalations),
      await store.now(),
    ),
  };
}

async function loadAll(store: HostedStore, runs: string[]): Promise<RunState[]> {
  const states: RunState[] = [];
  for (const run of runs) {
    const { state } = await store.runs.load(run);
    if (state) states.push(state);
  }
  return states;
}

async function measureJobs(store: HostedStore, running: RunState[]): Promise<DeskFigures['jobs']> {
  // Jobs are heard by the database's clock.
  const now = await store.now();
  const jobs = { live: 0, silent: 0, longest_silence_ms: 0 };
  for (const { run, jobs: job, job_live, updated_at } of running) {
    if (!job_live) continue;
    const heard = (await store.dispatches.ofJob(run, job, 'build'))?.heard_at ?? updated_at;
    const silence = Math.max(0, now.getTime() - Date.parse(heard));
    jobs.live += 1;
    if (silence > SILENT_AFTER_MS) jobs.silent += 1;
    jobs.longest_silence_ms = Math.max(jobs.longest_silence_ms, silence);
  }
  return jobs;
}
