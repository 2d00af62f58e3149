import { sql } from 'kysely';
import type { RunEvent } from '../../core/contracts/run-event.ts';
import { phaseOf, type RunPhase, type RunState } from '../../core/contracts/run-state.ts';
import { type RunSummary, summariseRun } from '../../core/contracts/run-summary.ts';
import { evolve } from '../../core/decide/evolve.ts';
import type { Commit } from '../../core/ports/ports.ts';
import type { HostedCommit, ListedRun, RunLog } from '../../core/ports/run-log.ts';
import { laneKey, RunTarget } from '../../core/ports/run-target.ts';
import { type Database, PARAMETER } from './database.ts';
import { putDispatches } from './dispatches.ts';
import { putLabelling } from './labellings.ts';
import { putEffects } from './outbox.ts';
import { prune } from './prune.ts';
import { clearLabel } from './publications.ts';
import { clearHash } from './sent-comments.ts';
import { keepsSlot, wakeQueue } from './slots.ts';
import { addSpending } from './spending.ts';
import type { Trx } from './tables.ts';
import { lockOut } from './tickets.ts';
import { setTimers } from './timers.ts';

/**
 * One row per run with its current state, and one journal row per commit, so that the cost of a commit does not grow with either.
 */
export function createRuns(database: Database): RunLog {
  const { db, dialect, prepare, transaction, now } = database;
  const loadRow = prepare<{ version: number; state: string }>(
    sql`select version, state from runs where run = ${PARAMETER}`,
  );
  const runs = db.selectFrom('runs');
  const findTarget = prepare(runs.select('place').where('run', '=', PARAMETER));
  const findOfIssue = prepare(
    runs
      .select('run')
      .where('repo_id', '=', PARAMETER)
      .where('issue', '=', PARAMETER)
      .orderBy('seq', 'desc')
      .limit(1),
  );
  const runsIn = (phases: RunPhase[]) =>
    db
      .selectFrom('runs')
      .where('runs.phase', 'in', phases)
      // Said again for the planner, which uses the index of runs that have not ended only then.
      .$if(!phases.includes('ended'), (query) => query.where('runs.phase', '<>', sql.lit('ended')))
      .orderBy('runs.seq');
  const listed = () =>
    db
      .selectFrom('runs')
      .leftJoin('publications', 'publications.run', 'runs.run')
      .select(['runs.seq', 'runs.run', 'runs.phase', 'runs.place', 'runs.summary', 'publications.pull'])
      // Only of runs that have no summary yet, because states are large.
      .select(sql<string | null>`case when runs.summary is null then runs.state end`.as('state'));
  return {
    async load(run) {
      const [row] = await loadRow(run);
      if (!row) return { version: 0, state: undefined };
      return { version: row.version, state: JSON.parse(row.state) as RunState };
    },

    async commit(run, expectedVersion, commit) {
      const { seen = [] } = commit;
      return transaction(async (trx, announce) => {
        // Locks the row: a concurrent commit waits here and then sees the new version.
        const row = await trx
          .selectFrom('runs')
          .select(['version', 'state', 'summary', 'place', 'repo_id', 'issue', 'slot_ms', 'queued_ms'])
          .where('run', '=', run)
          .$if(dialect === 'postgres', (query) => query.forUpdate())
          .executeTakeFirst();
        const version = row?.version ?? 0;
        if (await wasSeen(trx, seen)) return { ok: true, version, duplicate: true };
        if (version !== expectedVersion) return { ok: false };
        const next = version + 1;
        const before = row && (JSON.parse(row.state) as RunState);
        const after = await writeRun(trx, {
          ...{ run, next, commit, before, now },
          summary: row?.summary ? (JSON.parse(row.summary) as RunSummary) : undefined,
        });
        const repoId = commit.target?.repo_id ?? row?.repo_id;
        if (repoId != null) await addSpending(trx, repoId, monthOf(commit), before, after);
        await putSeen(trx, seen, { run, place: commit.target ?? row, now });
        const { effects, labelling, unwritten, lockedOut } = commit;
        const lane = laneOf(commit.target ?? row) ?? run;
        const installation = (commit.target ?? readPlace(row?.place))?.installation_id;
        const prefix = `${run}.${next}`;
        if ((await putEffects(trx, { lane, installation, run, prefix, effects, now })) > 0)
          announce('outbox');
        await putDispatches(trx, { run, version: next, effects, now });
        await setTimers(trx, run, effects);
        const leaves = row && (row.slot_ms !== null || row.queued_ms !== null) && !keepsSlot(after);
        if (leaves && repoId != null) {
          await wakeQueue(trx, repoId, run, now);
          announce('outbox');
        }
        if (labelling) await putLabelling(trx, run, labelling);
        if (unwritten === 'label') await clearLabel(trx, run);
        else if (unwritten) await clearHash(trx, unwritten.comment);
        if (lockedOut) await lockOut(trx, lockedOut);
        announce(`run:${run}`);
        return { ok: true, version: next, duplicate: false };
      });
    },

    async write(place, id, effects, seen) {
      const lane = laneKey(place.repo_id, place.issue);
      return transaction(async (trx, announce) => {
        if (await wasSeen(trx, seen)) return false;
        await putSeen(trx, seen, { run: '', place, now });
        const { installation_id: installation } = place;
        const rows = { lane, installation, run: undefined, prefix: id, effects, now };
        const count = await putEffects(trx, rows);
        if (count > 0) announce('outbox');
        return true;
      });
    },

    async remember(run, key) {
      await transaction(async (trx) => {
        if (await wasSeen(trx, [key])) return;
        const place = await trx
          .selectFrom('runs')
          .select(['repo_id', 'issue'])
          .where('run', '=', run)
          .executeTakeFirst();
        await putSeen(trx, [key], { run, place, now });
      });
    },
    wasSeen: (key) => wasSeen(db, [key]),
    prune: (olderThanMs) => prune(database, olderThanMs),
    async target(run) {
      const [row] = await findTarget(run);
      return row?.place ? RunTarget.parse(JSON.parse(row.place)) : undefined;
    },
    async ofIssue(repoId, issue) {
      const [row] = await findOfIssue(repoId, issue);
      return row?.run;
    },
    async inPhase(...phases) {
      const rows = await runsIn(phases).select('run').execute();
      return rows.map(({ run }) => run);
    },
    async placed(...phases) {
      const rows = await runsIn(phases)
        .leftJoin('publications', 'publications.run', 'runs.run')
        .select(['runs.run', 'runs.phase', 'runs.place', 'publications.pull'])
        .execute();
      return rows.flatMap(({ run, phase, place, pull }) =>
        place === null
          ? []
          : [{ run, phase, target: RunTarget.parse(JSON.parse(place)), pull: pull ?? undefined }],
      );
    },
    async list(limit) {
      const rows = await db.selectFrom('runs').select('run').orderBy('seq', 'desc').limit(limit).execute();
      return rows.map(({ run }) => run);
    },
    async summaries({ phases, limit, before }) {
      const rows = await listed()
        .where('runs.phase', 'in', phases)
        .$if(before !== undefined, (query) => query.where('runs.seq', '<', before ?? 0))
        .orderBy('runs.seq', 'desc')
        .limit(limit)
        .execute();
      return rows.flatMap(readListed);
    },
    async summary(run) {
      const rows = await listed().where('runs.run', '=', run).execute();
      return rows.flatMap(readListed)[0];
    },
    async newest(run, limit) {
      // The database picks the events, because inputs are many times as large: they hold the counters of all guards.
      const events =
        dialect === 'postgres'
          ? sql<string>`(body::json -> 'events')::text`
          : sql<string>`json_extract(body, '$.events')`;
      const rows = await db
        .selectFrom('journal')
        .select(['version', events.as('events')])
        .where('run', '=', run)
        .orderBy('version', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ version, events }) => ({ version, events: JSON.parse(events) as RunEvent[] }));
    },
    async events(run) {
      const rows = await db
        .selectFrom('journal')
        .select(['version', 'body'])
        .where('run', '=', run)
        .orderBy('version')
        .execute();
      return rows.map(({ version, body }) => ({ version, commit: JSON.parse(body) as Commit }));
    },
  };
}

async function wasSeen(db: Trx | Database['db'], keys: string[]): Promise<boolean> {
  if (keys.length === 0) return false;
  const known = await db
    .selectFrom('seen')
    .select('key')
    .where('key', 'in', keys)
    .limit(1)
    .executeTakeFirst();
  return known !== undefined;
}

async function writeRun(
  trx: Trx,
  written: {
    run: string;
    next: number;
    before: RunState | undefined;
    summary: RunSummary | undefined;
    commit: HostedCommit;
    now: Database['now'];
  },
): Promise<RunState> {
  const { run, next, before, commit, now } = written;
  const { input, events, effects, target } = commit;
  let state = before;
  for (const event of events) state = evolve(state, event);
  if (!state) throw new Error(`The first commit of run ${run} must have the event run_requested.`);
  const summary = JSON.stringify(summariseRun(written.summary, state, events));
  const phase = phaseOf(state);
  const wasEnded = before !== undefined && phaseOf(before) === 'ended';
  const row = {
    version: next,
    state: JSON.stringify(state),
    phase,
    summary,
    ...((phase === 'ended') !== wasEnded && { ended_ms: wasEnded ? null : now }),
    ...(!keepsSlot(state) && { slot_ms: null, queued_ms: null }),
  };
  if (before) {
    await trx.updateTable('runs').set(row).where('run', '=', run).execute();
  } else {
    const home = target && { place: JSON.stringify(target), repo_id: target.repo_id, issue: target.issue };
    await trx
      .insertInto('runs')
      .values({ run, ...row, ...home })
      .execute();
  }
  const body = JSON.stringify({ input, events, effects });
  await trx.insertInto('journal').values({ run, version: next, body }).execute();
  return state;
}

/** Every event has the desk's time. */
function monthOf({ events }: HostedCommit): string {
  return events.at(-1)?.at.slice(0, 7) ?? '';
}

async function putSeen(
  trx: Trx,
  seen: string[],
  { run, place, now }: { run: string; place: Place | undefined; now: Database['now'] },
): Promise<void> {
  const keys = [...new Set(seen)].sort();
  if (keys.length === 0) return;
  await trx
    .insertInto('seen')
    .values(
      keys.map((key) => ({
        ...{ key, run, at_ms: now },
        repo_id: place?.repo_id ?? null,
        issue: place?.issue ?? null,
      })),
    )
    .execute();
}

interface Place {
  repo_id: number | null;
  issue: number | null;
}

function readPlace(place: string | null | undefined): Pick<RunTarget, 'installation_id'> | undefined {
  return place == null ? undefined : (JSON.parse(place) as RunTarget);
}

function laneOf(place: Place | undefined): string | undefined {
  return place?.repo_id == null || place.issue == null ? undefined : laneKey(place.repo_id, place.issue);
}

type ListedRow = Pick<ListedRun, 'seq' | 'run' | 'phase'> & {
  place: string | null;
  summary: string | null;
  state: string | null;
  pull: number | null;
};

function readListed({ seq, run, phase, place, summary, state, pull }: ListedRow): ListedRun[] {
  if (place === null) return [];
  const target = RunTarget.parse(JSON.parse(place));
  const read = summary
    ? (JSON.parse(summary) as RunSummary)
    : summariseRun(undefined, JSON.parse(state ?? '') as RunState, []);
  return [{ seq, run, phase, target, pull: pull ?? undefined, summary: read }];
}
