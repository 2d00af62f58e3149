import { sql } from 'kysely';
import type { Database } from './database.ts';

/** Begins the names of tasks. Lanes of issues begin with a number. */
export const TASK = 'task:';

/** Leases of tasks that one desk at a time does. They are kept beside those of the lanes. */
export function createTaskLeases({ db, now }: Database) {
  return async (task: string, owner: string, leaseMs: number): Promise<boolean> => {
    const { rows } = await sql`
      insert into lanes (lane, fence, until_ms) values (${TASK + task}, ${owner}, ${now} + ${sql.lit(leaseMs)})
      on conflict (lane) do update set fence = excluded.fence, until_ms = excluded.until_ms
        where lanes.until_ms <= ${now} or lanes.fence = excluded.fence
      returning lane`.execute(db);
    return rows.length > 0;
  };
}
