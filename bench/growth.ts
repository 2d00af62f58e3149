import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { HostedStore } from '../src/core/ports/hosted-store.ts';
import { openPostgresStore } from '../src/store/postgres.ts';
import { openSqliteStore } from '../src/store/sqlite.ts';
import { startPostgres } from '../test/store/hosted/postgres-server.ts';
import { copyStatements } from './copy-runs.ts';
import { type Desk, openDesk } from './desk.ts';
import type { Figure } from './figure.ts';
import { type Command, commentOf, followCommand, type Place, runOf, seedRuns } from './handle-command.ts';
import { withScratchDirectory } from './scratch-directory.ts';
import { median, round } from './statistics.ts';

const FEW = 100;
const MANY = 100_000;
/** Together not more than there are runs, so that each run gets one command. */
const WARM_UP = 20;
const EVENTS = 80;
/** With many stored, one run in ten is open, and half of the open ones are paused. The others have ended. With few, all are open. */
const OPEN_ONE_IN = 10;
const OPEN_PER_REPOSITORY = 10;
/** Their numbers stand in no other text of a run. */
const TEMPLATES = {
  working: { repo_id: 800_000_001, issue: 900_000_001 },
  paused: { repo_id: 800_000_002, issue: 900_000_002 },
  ended: { repo_id: 800_000_003, issue: 900_000_003 },
};

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
      await seedTemplates(store);
      const database = new DatabaseSync(file);
      for (const statement of fillStatements(runs)) database.exec(statement);
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
      await seedTemplates(store);
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      for (const statement of [...fillStatements(runs), 'analyze']) await client.query(statement);
      await client.end();
      return store;
    };
    return await compare(await open(FEW), await open(MANY));
  } finally {
    await server.close();
  }
}

/** One run of each kind, as commands and jobs have left it. */
async function seedTemplates(store: HostedStore): Promise<void> {
  const { working, paused, ended } = TEMPLATES;
  const desk = openDesk(store);
  await seedRuns(store, Object.values(TEMPLATES));
  for (const place of Object.values(TEMPLATES)) {
    const at = new Date().toISOString();
    const run = runOf(place);
    await store.publications.change(run, { pull: place.issue, head: 'b'.repeat(40) });
    await store.publications.addOwnCommit(place.repo_id, place.issue, `commit of ${run}`);
    await store.cursors.set('run', run, { reviewed: { at, settled: true } });
  }
  // The run at work has a command behind it, too, so that all have rows in every table.
  for (const [id, place, command] of [
    [1, working, '/pause'],
    [2, working, '/continue'],
    [3, paused, '/pause'],
    [4, ended, '/cancel'],
  ] as const) {
    await takeCommand(store, desk, place, place.issue * 10 + id, command);
    if (command !== '/cancel') await followCommand(store, place, command);
  }
}

/** With few, the numbers of open runs follow each other; with many, each tenth is one. */
const spacingOf = (runs: number) => (runs === FEW ? 1 : OPEN_ONE_IN);

function fillStatements(runs: number): string[] {
  const spacing = spacingOf(runs);
  const common = { most: runs, repo_id: `(n / ${OPEN_PER_REPOSITORY * spacing})` };
  const isOpen = `n % ${spacing} = 0`;
  const isPaused = `n / ${spacing} % 2 = 1`;
  return [
    ...copyStatements({ ...common, of: TEMPLATES.working, which: `${isOpen} and not ${isPaused}` }),
    ...copyStatements({ ...common, of: TEMPLATES.paused, which: `${isOpen} and ${isPaused}` }),
    ...(spacing > 1 ? copyStatements({ ...common, of: TEMPLATES.ended, which: `not ${isOpen}` }) : []),
  ];
}

/** Both stores take the same events in turn, so that both meet the same machine. */
async function compare(few: HostedStore, many: HostedStore): Promise<Cost> {
  const times = { few: [] as number[], many: [] as number[], ratio: [] as number[] };
  const desks = { few: openDesk(few), many: openDesk(many) };
  try {
    for (let at = 0; at < WARM_UP + EVENTS; at += 1) {
      const cost = {
        few: await timeEvent(few, desks.few, FEW, at),
        many: await timeEvent(many, desks.many, MANY, at),
      };
      if (at < WARM_UP) continue;
      times.few.push(cost.few);
      times.many.push(cost.many);
      times.ratio.push(cost.many / cost.few);
    }
  } finally {
    await few.close();
    await many.close();
  }
  return { ratio: median(times.ratio), few: median(times.few), many: median(times.many) };
}

/** A stride that shares no factor with the number of open runs, so that each event is for another run, far from the one before. */
const STRIDE = 3_571;
/** Above all comments of the copies. */
const FIRST_COMMENT = 2_000_000_000;

async function timeEvent(store: HostedStore, desk: Desk, runs: number, at: number): Promise<number> {
  const spacing = spacingOf(runs);
  const open = runs / spacing;
  const index = 1 + ((at * STRIDE) % open);
  const issue = index * spacing;
  const place = { repo_id: Math.floor(issue / (OPEN_PER_REPOSITORY * spacing)), issue };
  // Of both stores the same, because every second open run is paused.
  const command = index % 2 === 1 ? '/continue' : '/pause';
  const begin = performance.now();
  await takeCommand(store, desk, place, FIRST_COMMENT + at, command);
  const ms = performance.now() - begin;
  await followCommand(store, place, command);
  return ms;
}

async function takeCommand(
  store: HostedStore,
  desk: Desk,
  place: Place,
  id: number,
  command: Command,
): Promise<void> {
  const { version } = await store.runs.load(runOf(place));
  await store.inbox.put([commentOf(place, id, command)]);
  if (!(await desk.handleNext())) throw new Error('The comment is not in the inbox.');
  while (await desk.performNext());
  const [taken] = await store.runs.newest(runOf(place), 1);
  if (taken?.version === version || taken?.events.some(({ type }) => type === 'command_refused'))
    throw new Error(`${command} was refused.`);
}
