import { sql } from 'kysely';
import { phaseOf, type RunState } from '../../core/contracts/run-state.ts';
import { evolve } from '../../core/decide/evolve.ts';
import type { Commit } from '../../core/ports/ports.ts';
import type { HostedCommit, RunLog } from '../../core/ports/run-log.ts';
import { laneKey, RunTarget } from '../../core/ports/run-target.ts';
import type { Database } from './database.ts';
import { putDispatches } from './dispatches.ts';
import { putLabelling } from './labellings.ts';
import { putEffects } from './outbox.ts';
import { prune } from './prune.ts';
import type { Trx } from './tables.ts';
import { setTimers } from './timers.ts';

/**
 * One row per run with its current state, and one journal row per commit, so that the cost of a commit does not grow with either.
 */
export function createRuns(database: Database): RunLog {
  const { db, dialect, transaction, now } = database;
  return {
    async load(run) {
      const row = await db
        .selectFrom('runs')
        .select(['version', 'state'])
        .where('run', '=', run)
        .executeTakeFirst();
      if (!row) return { version: 0, state: undefined };
      return { version: row.version, state: JSON.parse(row.state) as RunState };
    },

    async commit(run, expectedVersion, commit) {
      const { seen = [] } = commit;
      return transaction(async (trx, announce) => {
        // Locks the row: a concurrent commit waits here and then sees the new version.
        const row = await trx
          .selectFrom('runs')
          .select(['version', 'state', 'repo_id', 'issue'])
          .where('run', '=', run)
          .$if(dialect === 'postgres', (query) => query.forUpdate())
          .executeTakeFirst();
        const version = row?.version ?? 0;
        if (await wasSeen(trx, seen)) return { ok: true, version, duplicate: true };
        if (version !== expectedVersion) return { ok: false };
        const next = version + 1;
        await writeRun(trx, { run, next, before: row && (JSON.parse(row.state) as RunState), commit });
        await putSeen(trx, seen, run, now);
        const { effects, labelling } = commit;
        const lane = laneOf(commit.target ?? row) ?? run;
        const prefix = `${run}.${next}`;
        if ((await putEffects(trx, { lane, run, prefix, effects, now })) > 0) announce('outbox');
        await putDispatches(trx, { run, version: next, effects, now });
        await setTimers(trx, run, effects);
        if (labelling) await putLabelling(trx, run, labelling);
        announce(`run:${run}`);
        return { ok: true, version: next, duplicate: false };
      });
    },

    async write(lane, id, effects, seen) {
      return transaction(async (trx, announce) => {
        if (await wasSeen(trx, seen)) return false;
        await putSeen(trx, seen, '', now);
        const count = await putEffects(trx, { lane, run: undefined, prefix: id, effects, now });
        if (count > 0) announce('outbox');
        return true;
      });
    },

    wasSeen: (key) => wasSeen(db, [key]),
    prune: (olderThanMs) => prune(database, olderThanMs),
    async target(run) {
      const row = await db.selectFrom('runs').select('place').where('run', '=', run).executeTakeFirst();
      return row?.place ? RunTarget.parse(JSON.parse(row.place)) : undefined;
    },
    async ofIssue(repoId, issue) {
      const row = await db
        .selectFrom('runs')
        .select('run')
        .where('repo_id', '=', repoId)
        .where('issue', '=', issue)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.run;
    },
    async inPhase(...phases) {
      const rows = await db
        .selectFrom('runs')
        .select('run')
        .where('phase', 'in', phases)
        // Said again for the planner, which uses the index of runs that have not ended only then.
        .$if(!phases.includes('ended'), (query) => query.where('phase', '<>', sql.lit('ended')))
        .orderBy('seq')
        .execute();
      return rows.map(({ run }) => run);
    },
    async list(limit) {
      const rows = await db.selectFrom('runs').select('run').orderBy('seq', 'desc').limit(limit).execute();
      return rows.map(({ run }) => run);
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
  written: { run: string; next: number; before: RunState | undefined; commit: HostedCommit },
): Promise<void> {
  const { run, next, before, commit } = written;
  const { input, events, effects, target } = commit;
  let state = before;
  for (const event of events) state = evolve(state, event);
  if (!state) throw new Error(`The first commit of run ${run} must have the event run_requested.`);
  const row = { version: next, state: JSON.stringify(state), phase: phaseOf(state) };
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
}

async function putSeen(trx: Trx, seen: string[], run: string, now: Database['now']): Promise<void> {
  const keys = [...new Set(seen)].sort();
  if (keys.length === 0) return;
  await trx
    .insertInto('seen')
    .values(keys.map((key) => ({ key, run, at_ms: now })))
    .execute();
}

function laneOf(issue: { repo_id: number | null; issue: number | null } | undefined): string | undefined {
  return issue?.repo_id == null || issue.issue == null ? undefined : laneKey(issue.repo_id, issue.issue);
}
