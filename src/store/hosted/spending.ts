import { sql } from 'kysely';
import type { RunState } from '../../core/contracts/run-state.ts';
import type { Spending } from '../../core/ports/spending.ts';
import type { Database } from './database.ts';
import type { Trx } from './tables.ts';

export function createSpending({ db }: Database): Spending {
  return {
    async inMonth(repoId, month) {
      const row = await db
        .selectFrom('spending')
        .select('dollars')
        .where('repo_id', '=', repoId)
        .where('month', '=', month)
        .executeTakeFirst();
      return row?.dollars ?? 0;
    },
  };
}

/** Counts what a commit adds to the cost of its run, in the month in which it was reported. */
export async function addSpending(
  trx: Trx,
  repoId: number,
  month: string,
  before: RunState | undefined,
  after: RunState,
): Promise<void> {
  const dollars = (after.usage.cost_usd ?? 0) - (before?.usage.cost_usd ?? 0);
  if (!(dollars > 0)) return;
  await trx
    .insertInto('spending')
    .values({ repo_id: repoId, month, dollars })
    .onConflict((conflict) =>
      conflict
        .columns(['repo_id', 'month'])
        .doUpdateSet({ dollars: sql`spending.dollars + excluded.dollars` }),
    )
    .execute();
}
