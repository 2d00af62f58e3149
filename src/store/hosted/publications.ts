import type { Publication, Publications } from '../../core/ports/publications.ts';
import { type Database, PARAMETER } from './database.ts';
import type { Trx } from './tables.ts';

const OWN_COMMITS_KEPT = 50;

export function createPublications({ db, dialect, prepare, transaction }: Database): Publications {
  const find = prepare(db.selectFrom('publications').select(['body', 'pull']).where('run', '=', PARAMETER));
  const owner = db.selectFrom('runs').select('repo_id').where('run', '=', PARAMETER);
  const lockOwner = prepare(dialect === 'postgres' ? owner.forUpdate() : owner);
  return {
    async of(run) {
      const [row] = await find(run);
      return readPublication(row);
    },
    async change(run, change) {
      await transaction(async (trx, announce) => {
        // Two changes of one publication wait for each other here.
        const [found] = await lockOwner.within(trx, run);
        const [row] = await find.within(trx, run);
        const publication: Publication = { ...readPublication(row), ...change };
        const values = { pull: publication.pull ?? null, body: JSON.stringify(publication) };
        await trx
          .insertInto('publications')
          .values({ run, repo_id: found?.repo_id ?? null, ...values })
          .onConflict((conflict) => conflict.column('run').doUpdateSet(values))
          .execute();
        // Pages that show the run show its pull request.
        announce(`run:${run}`);
      });
    },
    async ofPull(repoId, pull) {
      const row = await db
        .selectFrom('publications')
        .innerJoin('runs', 'runs.run', 'publications.run')
        .select('publications.run')
        .where('publications.repo_id', '=', repoId)
        .where('publications.pull', '=', pull)
        .orderBy('runs.seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.run;
    },
    async ownCommits(repoId, issue) {
      const rows = await db
        .selectFrom('own_commits')
        .select('sha')
        .where('repo_id', '=', repoId)
        .where('issue', '=', issue)
        .orderBy('seq', 'desc')
        .limit(OWN_COMMITS_KEPT)
        .execute();
      return rows.map(({ sha }) => sha).reverse();
    },
    async addOwnCommit(repoId, issue, sha) {
      await db
        .insertInto('own_commits')
        .values({ repo_id: repoId, issue, sha })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
  };
}

/** The state label is set again although nothing changed. The run is locked by its commit. */
export async function clearLabel(trx: Trx, run: string): Promise<void> {
  const found = trx.selectFrom('publications').select(['body', 'pull']).where('run', '=', run);
  const row = await found.executeTakeFirst();
  if (!row) return;
  const body = JSON.stringify({ ...readPublication(row), label: '' });
  await trx.updateTable('publications').set({ body }).where('run', '=', run).execute();
}

/** Only the pull request is left of a run that ended long ago. */
function readPublication(row: { body: string; pull: number | null } | undefined): Publication {
  if (!row) return {};
  return { ...(row.pull !== null && { pull: row.pull }), ...(JSON.parse(row.body) as Publication) };
}
