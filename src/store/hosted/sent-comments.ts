import type { Selectable } from 'kysely';
import type { SentComment, SentComments } from '../../core/ports/sent-comments.ts';
import { type Database, PARAMETER } from './database.ts';
import type { SentCommentsTable, Trx } from './tables.ts';
import { fromMs } from './times.ts';

export function createSentComments({ db, prepare, now }: Database): SentComments {
  const newest = db.selectFrom('sent_comments').selectAll().orderBy('seq', 'desc').limit(1);
  const find = prepare(newest.where('op', '=', PARAMETER));
  const findById = prepare(newest.where('comment_id', '=', PARAMETER));
  const findByKind = prepare(newest.where('run', '=', PARAMETER).where('kind', '=', PARAMETER));
  const findOlder = prepare(
    newest
      .where('run', '=', PARAMETER)
      .where('kind', '=', PARAMETER)
      .where('seq', '<', ({ selectFrom }) =>
        selectFrom('sent_comments as own').select('own.seq').where('own.op', '=', PARAMETER),
      ),
  );
  const first = ([row]: Selectable<SentCommentsTable>[]) => row && toComment(row);
  return {
    find: async (op) => first(await find(op)),
    ofComment: async (id) => first(await findById(id)),
    newest: async (run, kind, before) =>
      first(await (before === undefined ? findByKind(run, kind) : findOlder(run, kind, before))),
    async save(op, change) {
      const { minimised, ...rest } = change;
      const values = { ...rest, ...(minimised !== undefined && { minimised: minimised ? 1 : 0 }) };
      const row = await db
        .insertInto('sent_comments')
        .values({ op, tried_ms: now, ...values })
        .onConflict((conflict) => conflict.column('op').doUpdateSet({ op, ...values }))
        .returningAll()
        .executeTakeFirstOrThrow();
      return toComment(row);
    },
  };
}

/** Its comment is written again although nothing changed. */
export async function clearHash(trx: Trx, op: string): Promise<void> {
  await trx.updateTable('sent_comments').set({ body_hash: '' }).where('op', '=', op).execute();
}

function toComment(row: Selectable<SentCommentsTable>): SentComment {
  return {
    op: row.op,
    run: row.run ?? undefined,
    tried_at: fromMs(row.tried_ms),
    comment_id: row.comment_id ?? undefined,
    node_id: row.node_id ?? undefined,
    body_hash: row.body_hash ?? undefined,
    escalation: row.escalation ?? undefined,
    minimised: row.minimised !== 0,
  };
}
