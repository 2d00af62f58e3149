import type { HostedCommit } from '../../core/ports/run-log.ts';
import type { Ticket, Tickets } from '../../core/ports/tickets.ts';
import { type Database, PARAMETER } from './database.ts';
import type { Trx } from './tables.ts';
import { fromMs } from './times.ts';

export function createTickets({ db, dialect, prepare, transaction }: Database): Tickets {
  const findToken = prepare(
    db
      .selectFrom('tokens')
      .innerJoin('dispatches', 'dispatches.op', 'tokens.op')
      .select([
        'dispatches.op',
        'dispatches.run',
        'dispatches.job',
        'dispatches.kind',
        'dispatches.verification',
      ])
      .where('hash', '=', PARAMETER),
  );
  /** Claims of one dispatch wait for each other, so that one token is left, and none of a dispatch that is revoked. */
  const lockDispatch = (trx: Trx, op: string) =>
    trx
      .selectFrom('dispatches')
      .select(['run', 'job', 'kind'])
      .where('op', '=', op)
      .$if(dialect === 'postgres', (query) => query.forUpdate());
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
      return transaction(async (trx) => {
        // One statement, so that of two claims with the same ticket one finds it free.
        const redeemed = await trx
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
          .returning('op')
          .executeTakeFirst();
        if (redeemed) await trx.deleteFrom('tokens').where('op', '=', redeemed.op).execute();
        return redeemed !== undefined;
      });
    },
    async addToken(hash, op) {
      return transaction(async (trx) => {
        const dispatch = await lockDispatch(trx, op).executeTakeFirstOrThrow();
        const revoked = await trx
          .selectFrom('tickets')
          .select('hash')
          .where('op', '=', op)
          .where('revoked', '<>', 0)
          .executeTakeFirst();
        const token = await trx.selectFrom('tokens').select('hash').where('op', '=', op).executeTakeFirst();
        if (revoked) return 'revoked';
        if (token) return token.hash === hash ? 'added' : 'taken';
        await trx
          .insertInto('tokens')
          .values({ hash, op, ...dispatch })
          .execute();
        return 'added';
      });
    },
    async findToken(hash) {
      const [row] = await findToken(hash);
      return row && { ...row, verification: row.verification ?? undefined };
    },
    async revoke(op) {
      await transaction(async (trx) => {
        await lockDispatch(trx, op).execute();
        await revoke(trx, op);
      });
    },
  };
}

async function revoke(trx: Trx, op: string): Promise<void> {
  await trx.deleteFrom('tokens').where('op', '=', op).execute();
  await trx.updateTable('tickets').set({ revoked: 1 }).where('op', '=', op).execute();
}

/** The outcome is recorded before the end of the Actions run is reported, so that the end is not taken for a loss. */
export async function lockOut(
  trx: Trx,
  { op, outcome }: NonNullable<HostedCommit['lockedOut']>,
): Promise<void> {
  // Locks the dispatch, so that a claim which adds its token at the same time finds its ticket revoked.
  await trx.updateTable('dispatches').set({ outcome }).where('op', '=', op).execute();
  await revoke(trx, op);
}
