import { sql } from 'kysely';
import { phaseOf, type RunState } from '../../../core/contracts/run-state.ts';
import type { Trx } from '../tables.ts';

const RUNS_AT_ONCE = 200;

/**
 * Computes the phase of every run from its state. Not in SQL, because PostgreSQL refuses to look into a state that has a NUL
 * in one of its texts. The older layout counted runs that rest as finished.
 */
export async function convertPhases(trx: Trx): Promise<void> {
  await sql`update runs set phase = 'ended' where finished <> 0`.execute(trx);
  let after = 0;
  for (;;) {
    const { rows } = await sql<{ seq: number; state: string }>`
      select seq, state from runs
      where seq > ${after} and (finished = 0 or state like '%"status":"reviewing"%')
      order by seq limit ${sql.lit(RUNS_AT_ONCE)}`.execute(trx);
    for (const { seq, state } of rows) {
      const phase = phaseOf(JSON.parse(state) as RunState);
      await sql`update runs set phase = ${phase} where seq = ${seq}`.execute(trx);
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.seq;
  }
}
