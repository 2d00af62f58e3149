import type { Selectable } from 'kysely';
import type { SentComment, SentComments } from '../../core/ports/sent-comments.ts';
import type { Database } from './database.ts';
import type { SentCommentsTable } from './tables.ts';
import { fromMs } from './times.ts';

export function createSentComments({ db, now }: Database): SentComments {
  const newestFirst = () => db.selectFrom('sent_comments').selectAll().orderBy('seq', 'desc').limit(1);
  return {
    async find(op) {
      const row = await newestFirst().where('op', '=', op).executeTakeFirst();
      return row && toComment(row);
    },
    async ofComment(commentId) {
      const row = await newestFirst().where('comment_id', '=', commentId).executeTakeFirst();
      return row && toComment(row);
    },
    async newest(run, kind) {
      const row = await newestFirst().where('run', '=', run).where('kind', '=', kind).executeTakeFirst();
      return row && toComment(row);
    },
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
