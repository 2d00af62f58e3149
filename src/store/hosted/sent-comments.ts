import type { HostedStore } from '../../core/ports/hosted-store.ts';
import type { Database } from './database.ts';

export function createSentComments({ db, transaction }: Database): HostedStore['comments'] {
  return {
    async find(run, op) {
      return db
        .selectFrom('comments')
        .select(['comment_id', 'node_id', 'body_hash'])
        .where('run', '=', run)
        .where('op', '=', op)
        .executeTakeFirst();
    },
    async save(run, op, { comment_id, node_id, body_hash }) {
      // Deletes and inserts instead of updating, so that the newest operation on a comment is the last row.
      await transaction(async (trx) => {
        await trx.deleteFrom('comments').where('run', '=', run).where('op', '=', op).execute();
        await trx.insertInto('comments').values({ run, op, comment_id, node_id, body_hash }).execute();
      });
    },
    async byComment(commentId) {
      return db
        .selectFrom('comments')
        .select(['run', 'op', 'body_hash'])
        .where('comment_id', '=', commentId)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
    },
  };
}
