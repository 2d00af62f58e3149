import { CompiledQuery, type RawBuilder } from 'kysely';
import { RowByRow } from '../node-sqlite-dialect.ts';
import type { Dialect } from './migrate.ts';
import type { QueueTable, Trx } from './tables.ts';

type Row = Pick<QueueTable, 'id' | 'lane' | 'kind' | 'body' | 'put_ms' | 'installation'>;
/** Inserts rows that do not exist yet, due now. Returns for each row whether it was inserted. */
type Insert = (trx: Trx, rows: Row[], now: RawBuilder<number>) => Promise<boolean[]>;

/** Far below PostgreSQL's limit of parameters. */
const ROWS_AT_ONCE = 500;

export function chooseInsert(dialect: Dialect): Insert {
  return dialect === 'sqlite' ? insertOneByOne : insertTogether;
}

/** For SQLite, one statement with many rows would copy all bodies and take half as long again. */
const insertOneByOne: Insert = async (trx, rows, now) => {
  const { sql } = now.compile(trx);
  const insertOne = CompiledQuery.raw(
    `insert into inbox (id, lane, kind, body, put_ms, installation, due_ms) values (?, ?, ?, ?, ?, ?, ${sql})
      on conflict (id) do nothing`,
  );
  const values = rows.map(({ id, lane, kind, body, put_ms, installation }) => {
    return [id, lane, kind, body, put_ms, installation];
  });
  const query = { ...insertOne, parameters: [new RowByRow(values)] };
  const results = await trx.executeQuery<{ changes: number }>(query);
  return results.rows.map(({ changes }) => changes > 0);
};

const insertTogether: Insert = async (trx, rows, now) => {
  const fresh = new Set<string>();
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const inserted = await trx
      .insertInto('inbox')
      .values(rows.slice(start, start + ROWS_AT_ONCE).map((row) => ({ ...row, due_ms: now })))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .execute();
    for (const { id } of inserted) fresh.add(id);
  }
  // The second of two rows with the same id in a batch is the duplicate.
  return rows.map(({ id }) => fresh.delete(id));
};
