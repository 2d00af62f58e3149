import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { HostedStore } from '../src/core/ports/hosted-store.ts';
import { openPostgresStore } from '../src/store/postgres.ts';
import { openSqliteStore } from '../src/store/sqlite.ts';
import { startPostgres } from '../test/store/hosted/postgres-server.ts';
import type { Figure } from './figure.ts';
import { commentOf, decideNext, REPO_ID, runOf, seedRuns, writeNext } from './handle-command.ts';
import { withScratchDirectory } from './scratch-directory.ts';
import { median, round } from './statistics.ts';

const FEW = 100;
const MANY = 100_000;
const WARM_UP = 50;
const EVENTS = 150;
/** Of the runs that are added, one in ten waits for an answer. The others have ended. */
const OPEN_ONE_IN = 10;
const JOURNAL_ROWS = 10;

export const growth: Figure = {
  id: 'growth',
  title: `a command from inbox to outbox with ${MANY.toLocaleString('en')} runs stored ÷ with ${FEW}`,
  bar: 1.2,
  unit: '×',
  better: 'lower',
  async measure() {
    const sqlite = await measureSqlite();
    const postgres = await measurePostgres();
    return {
      value: sqlite.ratio,
      detail: {
        events: EVENTS,
        few_ms: round(sqlite.few),
        many_ms: round(sqlite.many),
        postgres: round(postgres.ratio),
        postgres_few_ms: round(postgres.few),
        postgres_many_ms: round(postgres.many),
        load: round(loadavg()[0] ?? 0, 1),
      },
    };
  },
};

interface Cost {
  ratio: number;
  few: number;
  many: number;
}

function measureSqlite(): Promise<Cost> {
  return withScratchDirectory(async (directory) => {
    const key = randomBytes(32).toString('base64');
    const open = async (name: string, runs: number) => {
      const file = join(directory, name);
      const store = await openSqliteStore({ file, key });
      await seedRuns(store, issuesUpTo(FEW));
      const database = new DatabaseSync(file);
      for (const statement of cloneStatements(runs - FEW)) database.exec(statement);
      database.close();
      return store;
    };
    return compare(await open('few.db', FEW), await open('many.db', MANY));
  });
}

async function measurePostgres(): Promise<Cost> {
  const server = await startPostgres();
  try {
    const key = randomBytes(32).toString('base64');
    const open = async (runs: number) => {
      const url = await server.createDatabase();
      const store = await openPostgresStore({ url, key });
      await seedRuns(store, issuesUpTo(FEW));
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      for (const statement of [...cloneStatements(runs - FEW), 'analyze']) await client.query(statement);
      await client.end();
      return store;
    };
    return await compare(await open(FEW), await open(MANY));
  } finally {
    await server.close();
  }
}

const issuesUpTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Copies the first run in SQL, because deciding so many would take minutes. */
function cloneStatements(count: number): string[] {
  const numbers = (most: number) =>
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${most})`;
  const template = `'${runOf(1)}'`;
  const isOpen = `n % ${OPEN_ONE_IN} = 0`;
  if (count <= 0) return [];
  return [
    `insert into runs (run, version, state, phase, place, repo_id, issue)
      ${numbers(count)} select 'old-' || n, version, state,
        case when ${isOpen} then 'waiting' else 'ended' end, place, ${REPO_ID}, ${FEW} + n
      from numbers, runs where run = ${template}`,
    `insert into journal (run, version, body)
      ${numbers(count)}, versions(v) as (select 1 union all select v + 1 from versions where v < ${JOURNAL_ROWS})
      select 'old-' || n, v, '{}' from numbers, versions`,
    `insert into seen (key, run, at_ms) ${numbers(count)} select 'comment:old-' || n, 'old-' || n, 0 from numbers`,
    `insert into timers (run, timer, at, at_ms)
      ${numbers(count)} select 'old-' || n, 'reminder', '2099-01-01T00:00:00.000Z', 4070908800000 from numbers
      where ${isOpen}`,
    `insert into inbox (id, lane, kind, body, put_ms, state)
      ${numbers(count)} select 'old-' || n, '${REPO_ID}#' || (${FEW} + n), 'issue_comment', '', 0, 'done' from numbers`,
    `insert into dispatches (op, run, job, kind, decided_ms, requested_ms, answered_ms, ended_ms)
      ${numbers(count)} select 'old-' || n, 'old-' || n, 1, 'build', 1, 1, 1, 1 from numbers`,
  ];
}

/** Both stores take the same events in turn, so that both meet the same machine. */
async function compare(few: HostedStore, many: HostedStore): Promise<Cost> {
  const times = { few: [] as number[], many: [] as number[] };
  try {
    for (let at = 0; at < WARM_UP + EVENTS; at += 1) {
      const cost = { few: await timeEvent(few, at), many: await timeEvent(many, at) };
      if (at < WARM_UP) continue;
      times.few.push(cost.few);
      times.many.push(cost.many);
    }
  } finally {
    await few.close();
    await many.close();
  }
  const [fewMs, manyMs] = [median(times.few), median(times.many)];
  return { ratio: manyMs / fewMs, few: fewMs, many: manyMs };
}

async function timeEvent(store: HostedStore, at: number): Promise<number> {
  const issue = (at % FEW) + 1;
  // Each run gets its first command in the first round, its second in the second.
  const body = Math.floor(at / FEW) % 2 === 0 ? '/pause' : '/continue';
  const begin = performance.now();
  await store.inbox.put([commentOf(issue, at + 1, body)]);
  if (!(await decideNext(store))) throw new Error('The comment is not in the inbox.');
  while (await writeNext(store));
  return performance.now() - begin;
}
