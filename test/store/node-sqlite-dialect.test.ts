import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { createNodeSqliteDialect } from '../../src/store/node-sqlite-dialect.ts';

test('R-12: a transaction is undone if the database may not be used any more at its commit', async () => {
  let mayUse = true;
  const db = new Kysely<{ notes: { text: string } }>({
    dialect: createNodeSqliteDialect(new DatabaseSync(':memory:'), 0, () => {
      if (!mayUse) throw new Error('It may not be used.');
    }),
  });
  await sql`create table notes (text text)`.execute(db);
  const refused = db.transaction().execute(async (trx) => {
    await trx.insertInto('notes').values({ text: 'lost' }).execute();
    mayUse = false;
  });
  await expect(refused).rejects.toThrow('It may not be used.');
  mayUse = true;
  await db.insertInto('notes').values({ text: 'kept' }).execute();
  expect(await db.selectFrom('notes').selectAll().execute()).toEqual([{ text: 'kept' }]);
  await db.destroy();
});
