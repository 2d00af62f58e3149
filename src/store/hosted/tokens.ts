import type { HostedStore } from '../../core/ports/hosted-store.ts';
import type { Database } from './database.ts';

export function createTokens({ db, transaction }: Database): HostedStore['tokens'] {
  return {
    async addTicket({ hash, run, job, kind, expires_at }) {
      await db
        .insertInto('tickets')
        .values({ hash, run, job, kind, expires_ms: Date.parse(expires_at) })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async findTicket(hash) {
      const row = await db.selectFrom('tickets').selectAll().where('hash', '=', hash).executeTakeFirst();
      if (!row) return undefined;
      const { run, job, kind, expires_ms, revoked, actions_run, attempt } = row;
      return {
        run,
        job,
        kind,
        expires_at: new Date(expires_ms).toISOString(),
        revoked: revoked !== 0,
        actions_run: actions_run ?? undefined,
        attempt: attempt ?? undefined,
      };
    },
    async redeemTicket(hash, actionsRun, attempt, now) {
      // A single statement, so that only one of two concurrent requests redeems the ticket.
      return db
        .updateTable('tickets')
        .set({ actions_run: actionsRun, attempt })
        .where('hash', '=', hash)
        .where('revoked', '=', 0)
        .where('expires_ms', '>', Date.parse(now))
        .where((is) =>
          is.or([
            is('actions_run', 'is', null),
            is.and([is('actions_run', '=', actionsRun), is('attempt', '<', attempt)]),
          ]),
        )
        .returning(['run', 'job', 'kind'])
        .executeTakeFirst();
    },
    async addToken({ hash, run, job, kind }) {
      await db
        .insertInto('tokens')
        .values({ hash, run, job, kind })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async findToken(hash) {
      return db
        .selectFrom('tokens')
        .select(['run', 'job', 'kind'])
        .where('hash', '=', hash)
        .executeTakeFirst();
    },
    async revokeBefore(run, job) {
      await transaction(async (trx) => {
        await trx.deleteFrom('tokens').where('run', '=', run).where('job', '<', job).execute();
        // The rows stay, because the Actions run of a job is looked up later.
        await trx
          .updateTable('tickets')
          .set({ revoked: 1 })
          .where('run', '=', run)
          .where('job', '<', job)
          .execute();
      });
    },
    async actionsRunOf(run, job) {
      const row = await db
        .selectFrom('tickets')
        .select(['actions_run', 'attempt'])
        .where('run', '=', run)
        .where('job', '=', job)
        .where('actions_run', 'is not', null)
        .orderBy('actions_run', 'desc')
        .limit(1)
        .executeTakeFirst();
      if (row?.actions_run == null || row.attempt == null) return undefined;
      return { actions_run: row.actions_run, attempt: row.attempt };
    },
  };
}
