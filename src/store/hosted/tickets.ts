import type { Ticket, Tickets } from '../../core/ports/tickets.ts';
import type { Database } from './database.ts';
import { fromMs } from './times.ts';

export function createTickets({ db, dialect, transaction }: Database): Tickets {
  return {
    async add({ hash, op, expires_at }) {
      await transaction(async (trx) => {
        const dispatch = await trx
          .selectFrom('dispatches')
          .select(['run', 'job', 'kind'])
          .where('op', '=', op)
          .executeTakeFirstOrThrow();
        await trx
          .insertInto('tickets')
          .values({ hash, op, ...dispatch, expires_ms: Date.parse(expires_at) })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      });
    },
    async find(hash): Promise<Ticket | undefined> {
      const row = await db
        .selectFrom('tickets')
        .innerJoin('dispatches', 'dispatches.op', 'tickets.op')
        .selectAll('tickets')
        .select('dispatches.verification')
        .where('hash', '=', hash)
        .executeTakeFirst();
      if (!row) return undefined;
      return {
        op: row.op ?? '',
        run: row.run,
        job: row.job,
        kind: row.kind,
        verification: row.verification ?? undefined,
        expires_at: fromMs(row.expires_ms),
        revoked: row.revoked !== 0,
        actions_run: row.actions_run ?? undefined,
        attempt: row.attempt ?? undefined,
        nonce: row.nonce ?? undefined,
      };
    },
    async redeem(hash, { actions_run, attempt, nonce, now }) {
      // One statement, so that of two claims with the same ticket one finds it free.
      const { numUpdatedRows } = await db
        .updateTable('tickets')
        .set({ actions_run, attempt, nonce: nonce ?? null })
        .where('hash', '=', hash)
        .where('revoked', '=', 0)
        .where('expires_ms', '>', Date.parse(now))
        .where((is) =>
          is.or([
            is('actions_run', 'is', null),
            is.and([is('actions_run', '=', actions_run), is('attempt', '<', attempt)]),
          ]),
        )
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async addToken(hash, op) {
      await transaction(async (trx) => {
        const dispatch = await trx
          .selectFrom('dispatches')
          .select(['run', 'job', 'kind'])
          .where('op', '=', op)
          // The later of two claims at once waits, so that one token is left.
          .$if(dialect === 'postgres', (query) => query.forUpdate())
          .executeTakeFirstOrThrow();
        await trx.deleteFrom('tokens').where('op', '=', op).where('hash', '<>', hash).execute();
        await trx
          .insertInto('tokens')
          .values({ hash, op, ...dispatch })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      });
    },
    async findToken(hash) {
      const row = await db
        .selectFrom('tokens')
        .innerJoin('dispatches', 'dispatches.op', 'tokens.op')
        .select([
          'dispatches.op',
          'dispatches.run',
          'dispatches.job',
          'dispatches.kind',
          'dispatches.verification',
        ])
        .where('hash', '=', hash)
        .executeTakeFirst();
      return row && { ...row, verification: row.verification ?? undefined };
    },
    async revokeBefore(run, job) {
      await transaction(async (trx) => {
        await trx.deleteFrom('tokens').where('run', '=', run).where('job', '<', job).execute();
        await trx
          .updateTable('tickets')
          .set({ revoked: 1 })
          .where('run', '=', run)
          .where('job', '<', job)
          .execute();
      });
    },
    async revoke(op) {
      await transaction(async (trx) => {
        await trx.deleteFrom('tokens').where('op', '=', op).execute();
        await trx.updateTable('tickets').set({ revoked: 1 }).where('op', '=', op).execute();
      });
    },
  };
}
