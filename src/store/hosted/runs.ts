import { sql } from 'kysely';
import { isUnderWay, type RunState } from '../../core/contracts/run-state.ts';
import { evolve } from '../../core/decide/evolve.ts';
import type { HostedStore } from '../../core/ports/hosted-store.ts';
import type { Commit } from '../../core/ports/ports.ts';
import type { HostedCommit } from '../../core/ports/run-log.ts';
import { RunTarget } from '../../core/ports/run-target.ts';
import type { Database } from './database.ts';
import { putEffects } from './outbox.ts';
import type { Trx } from './tables.ts';
import { setTimers } from './timers.ts';

/**
 * One row per run with its current state, and one journal row per commit, so that the cost of a commit does not grow with either.
 */
export function createRuns({ db, dialect, transaction }: Database): HostedStore['runs'] {
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
          .select(['version', 'state'])
          .where('run', '=', run)
          .$if(dialect === 'postgres', (query) => query.forUpdate())
          .executeTakeFirst();
        const version = row?.version ?? 0;
        if (await wasSeen(trx, seen)) return { ok: true, version, duplicate: true };
        if (version !== expectedVersion) return { ok: false };
        const next = version + 1;
        await writeRun(trx, { run, next, before: row && (JSON.parse(row.state) as RunState), commit });
        if ((await putEffects(trx, { run, version: next, effects: commit.effects })) > 0) announce('outbox');
        await setTimers(trx, run, commit.effects);
        announce(`run:${run}`);
        return { ok: true, version: next, duplicate: false };
      });
    },

    wasSeen: (key) => wasSeen(db, [key]),
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
    async active() {
      const rows = await db
        .selectFrom('runs')
        .select('run')
        .where('finished', '=', sql.lit(0))
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
  const { input, events, effects, target, seen = [] } = commit;
  let state = before;
  for (const event of events) state = evolve(state, event);
  if (!state) throw new Error(`The first commit of run ${run} must have the event run_requested.`);
  const row = { version: next, state: JSON.stringify(state), finished: !isUnderWay(state) ? 1 : 0 };
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
  const keys = [...new Set(seen)].sort();
  if (keys.length > 0) {
    await trx
      .insertInto('seen')
      .values(keys.map((key) => ({ key, run })))
      .execute();
  }
}
