import { sql } from 'kysely';
import { type Database, PARAMETER } from './database.ts';

/** Begins the names of tasks. Lanes of issues begin with a number. */
export const TASK = 'task:';

/** Leases of tasks that one desk at a time does. They are kept beside those of the lanes. */
export function createTaskLeases({ prepare, now }: Database) {
  const lease = prepare(sql`
    insert into lanes (lane, fence, until_ms) values (${PARAMETER}, ${PARAMETER}, ${now} + ${PARAMETER})
    on conflict (lane) do update set fence = excluded.fence, until_ms = excluded.until_ms
      where lanes.until_ms <= ${now} or lanes.fence = excluded.fence
    returning lane`);
  return async (task: string, owner: string, leaseMs: number): Promise<boolean> =>
    (await lease(TASK + task, owner, leaseMs)).length > 0;
}
