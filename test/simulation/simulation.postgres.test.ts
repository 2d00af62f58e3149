import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres.ts';
import { KEY } from '../store/hosted/backend.ts';
import { type PostgresServer, startPostgres } from '../store/hosted/postgres-server.ts';
import { runHistory, type SharedStore } from './history.ts';
import { describeBroken } from './shrink.ts';
import type { World } from './world.ts';

const SEEDS = Number(process.env.SIMULATION_POSTGRES_SEEDS ?? 4);
const FIRST = Number(process.env.SIMULATION_FIRST ?? 1);
const HOURS_MS = 10 * 3_600_000;

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.close());

/** The database's clock is a row that follows the virtual time. */
async function openShared(world: World): Promise<SharedStore> {
  const url = await server.createDatabase();
  const clock = new pg.Client({ connectionString: url });
  await clock.connect();
  await clock.query('create table test_clock (now_ms bigint not null)');
  await clock.query(`insert into test_clock values (${world.now})`);
  const store = await openPostgresStore({ url, key: KEY, clock: '(select now_ms from test_clock)' });
  let shown = world.now;
  const inTime =
    <Args extends unknown[], Result>(act: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      if (shown !== world.now) await clock.query(`update test_clock set now_ms = ${world.now}`);
      shown = world.now;
      return act(...args);
    };
  type Method = (...args: unknown[]) => Promise<unknown>;
  const parts = Object.entries(store).map(([name, part]: [string, unknown]) => {
    if (typeof part === 'function') return [name, inTime(part as Method)];
    const methods = Object.entries(part as Record<string, Method>);
    return [name, Object.fromEntries(methods.map(([method, act]) => [method, inTime(act)]))];
  });
  return {
    store: Object.fromEntries(parts),
    async close() {
      await store.close();
      await clock.end();
      await server.dropDatabase(url);
    },
  };
}

test(
  'R-2, R-6, R-13: every promise holds in every history, on PostgreSQL',
  async () => {
    const problems: string[] = [];
    for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
      const history = await runHistory(seed, { open: openShared });
      if (history.broken.length > 0) problems.push(describeBroken(history));
    }
    expect(problems).toEqual([]);
  },
  HOURS_MS,
);
