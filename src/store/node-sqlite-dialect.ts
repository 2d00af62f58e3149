import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';
import { isBusy } from './unavailable.ts';

const CACHED_STATEMENTS = 200;
const LONGEST_PAUSE_MS = 20;

/** Pass this as the only parameter to run a query once per item. The result has a row with `changes` for each item. */
export class RowByRow {
  readonly rows: readonly SQLInputValue[][];
  constructor(rows: readonly SQLInputValue[][]) {
    this.rows = rows;
  }
}

/**
 * A Kysely dialect for `node:sqlite`. The connection must have no busy timeout, because SQLite would block the whole process
 * while it waits. `beforeUse` is called before each statement, and may throw.
 */
export function createNodeSqliteDialect(
  database: DatabaseSync,
  busyMs: number,
  beforeUse: () => void = () => undefined,
): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(database, busyMs, beforeUse),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new LiteralLimits(),
  };
}

/** Writes limits into the text, because SQLite plans a statement again whenever a value is given to its limit. */
class LiteralLimits extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node;
    if (ValueNode.is(limit) && typeof limit.value === 'number') this.append(`limit ${limit.value}`);
    else super.visitLimit(node);
  }
}

function createDriver(database: DatabaseSync, busyMs: number, beforeUse: () => void): Driver {
  const connection = createConnection(database, busyMs, beforeUse);
  const [begin, commit] = [database.prepare('begin immediate'), database.prepare('commit')];
  return {
    init: async () => undefined,
    acquireConnection: async () => connection,
    // `begin immediate`, because a transaction that starts as a reader cannot wait for the write lock.
    async beginTransaction() {
      beforeUse();
      await whileBusy(busyMs, () => void begin.run());
    },
    async commitTransaction() {
      beforeUse();
      await whileBusy(busyMs, () => void commit.run());
    },
    async rollbackTransaction() {
      // SQLite may have rolled back already, for example on a full disk.
      if (database.isTransaction) database.exec('rollback');
    },
    releaseConnection: async () => undefined,
    destroy: async () => database.close(),
  };
}

function createConnection(database: DatabaseSync, busyMs: number, beforeUse: () => void): DatabaseConnection {
  const prepare = cacheStatements(database);
  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      beforeUse();
      const { statement, reads } = prepare(sql);
      const [first] = parameters;
      if (first instanceof RowByRow) return runEach(database, statement, first);
      const values = parameters as SQLInputValue[];
      return whileBusy(busyMs, () => {
        if (reads) return { rows: statement.all(...values) as Row[] };
        return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
      });
    },
    streamQuery() {
      throw new Error('Nothing here is read as a stream.');
    },
  };
}

/** Must run in a transaction, where no other connection can write, so that no row needs a retry. */
function runEach<Row>(
  database: DatabaseSync,
  statement: StatementSync,
  { rows }: RowByRow,
): QueryResult<Row> {
  if (!database.isTransaction) throw new Error('Rows are only run one by one within a transaction.');
  const results = rows.map((values) => ({ changes: Number(statement.run(...values).changes) }));
  return { rows: results as Row[] };
}

function cacheStatements(database: DatabaseSync) {
  const cached = new Map<string, { statement: StatementSync; reads: boolean }>();
  return (sql: string) => {
    const known = cached.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    const fresh = { statement, reads: statement.columns().length > 0 };
    const oldest = cached.keys().next().value;
    if (cached.size >= CACHED_STATEMENTS && oldest !== undefined) cached.delete(oldest);
    cached.set(sql, fresh);
    return fresh;
  };
}

/** Retries while another process writes, without blocking this process. */
async function whileBusy<Result>(busyMs: number, work: () => Result): Promise<Result> {
  const until = performance.now() + busyMs;
  for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error;
    }
    await delay(pause * (0.5 + Math.random()));
  }
}
