import { EventEmitter } from 'node:events';
import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Wake } from '../../core/ports/hosted-store.ts';
import { isLostRace } from '../unavailable.ts';
import type { Dialect } from './migrate.ts';
import type { Db, Trx } from './tables.ts';

/** The connection, clock and transaction helper that all parts of a hosted store share. */
export interface Database {
  readonly db: Db;
  readonly dialect: Dialect;
  /** The database's clock in milliseconds, as an expression. Desks whose clocks differ share this one. */
  readonly now: RawBuilder<number>;
  /**
   * A query that is compiled once, because compiling takes longer than a small query itself. Its parameters are given in the
   * order of the text, where each is `PARAMETER`.
   */
  prepare<Row>(query: { compile(db: Db): CompiledQuery<Row> }): Prepared<Row>;
  /** Runs `work` in a transaction. Its announcements reach the listeners of every instance after the commit. */
  transaction<Result>(work: Work<Result>): Promise<Result>;
  /**
   * The same, but the disk may be waited for after the commit, so that others read it before it is durable. It suits what is acted
   * on only after a later commit, for example that of a lease, with which it becomes durable at the latest.
   */
  append<Result>(work: Work<Result>): Promise<Result>;
  onWake(listener: (what: Wake) => void): () => void;
  /** Wakes the local listeners on behalf of another instance. */
  wake(what: Wake): void;
}

type Work<Result> = (trx: Trx, announce: (what: Wake) => void) => Promise<Result>;

/** Runs commits on one connection, which it may prepare for them, and resolves when they are durable. */
export type Append = <Result>(commits: (db: Db) => Promise<Result>) => Promise<Result>;

interface Prepared<Row> {
  (...parameters: (string | number)[]): Promise<Row[]>;
  /** The same in a transaction. */
  within(trx: Db, ...parameters: (string | number)[]): Promise<Row[]>;
}

const PLACE = Symbol('place of a parameter');

/** The place of a parameter in a prepared query, of whichever type. */
export const PARAMETER = sql.val(PLACE) as unknown as RawBuilder<never>;

/** Only lost races are retried, so this many in a row is a bug. */
const TRIES = 8;

export const CLOCKS: Record<Dialect, string> = {
  sqlite: "cast(unixepoch('subsec') * 1000 as integer)",
  postgres: 'cast(extract(epoch from statement_timestamp()) * 1000 as bigint)',
};

export function createDatabase(options: {
  db: Db;
  dialect: Dialect;
  /** Another clock, for tests: an SQL expression of milliseconds. */
  clock?: string;
  /** Notifies the other instances as part of the transaction. */
  notify(trx: Trx, what: Wake[]): Promise<void>;
  append?: Append;
}): Database {
  const { db, dialect, notify, clock = CLOCKS[dialect], append = (commits) => commits(db) } = options;
  const emitter = new EventEmitter().setMaxListeners(0);
  // In a microtask, so that an error in a listener does not look like a failed commit.
  const wake = (what: Wake) => queueMicrotask(() => emitter.emit('wake', what));

  const tryOnce = async <Result>(commit: Append, work: Work<Result>): Promise<Result> => {
    const told = new Set<Wake>();
    const result = await commit((held) =>
      held.transaction().execute(async (trx) => {
        const done = await work(trx, (what) => told.add(what));
        if (told.size > 0) await notify(trx, [...told]);
        return done;
      }),
    );
    for (const what of told) wake(what);
    return result;
  };

  const run = async <Result>(commit: Append, work: Work<Result>): Promise<Result> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await tryOnce(commit, work);
      } catch (error) {
        if (!isLostRace(error) || attempt === TRIES) throw error;
      }
    }
  };

  return {
    db,
    dialect,
    now: sql<number>`${sql.raw(clock)}`,
    wake,
    prepare<Row>(query: { compile(db: Db): CompiledQuery<Row> }) {
      const compiled = query.compile(db);
      const within = async (executor: Db, ...given: (string | number)[]) => {
        let next = 0;
        const parameters = compiled.parameters.map((value) => (value === PLACE ? given[next++] : value));
        return (await executor.executeQuery<Row>({ ...compiled, parameters })).rows;
      };
      return Object.assign((...given: (string | number)[]) => within(db, ...given), { within });
    },
    transaction: (work) => run((commits) => commits(db), work),
    append: (work) => run(append, work),
    onWake(listener) {
      emitter.on('wake', listener);
      return () => emitter.off('wake', listener);
    },
  };
}
