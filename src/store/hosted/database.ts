import { EventEmitter } from 'node:events';
import { isLostRace } from '../unavailable.ts';
import type { Dialect } from './migrate.ts';
import type { Db, Trx } from './tables.ts';

export type Wake = 'inbox' | 'outbox' | `run:${string}`;

/** What all parts of a hosted store share. */
export interface Database {
  readonly db: Db;
  readonly dialect: Dialect;
  /** All or nothing. What it `tell`s is heard by every listener of every instance, once it is durable. */
  transaction<Result>(work: (trx: Trx, announce: (what: Wake) => void) => Promise<Result>): Promise<Result>;
  onWake(listener: (what: Wake) => void): () => void;
  /** What another instance told. */
  wake(what: Wake): void;
}

/** Only lost races are tried again: this many in a row is a fault. */
const TRIES = 8;

export function createDatabase(options: {
  db: Db;
  dialect: Dialect;
  /** Tells the other instances, with the transaction. */
  notify(trx: Trx, what: Wake[]): Promise<void>;
}): Database {
  const { db, dialect, notify } = options;
  const emitter = new EventEmitter().setMaxListeners(0);
  // Not inside the caller's promise: a listener's mistake must not look like a failed commit.
  const wake = (what: Wake) => queueMicrotask(() => emitter.emit('wake', what));

  const tryOnce = async <Result>(
    work: (trx: Trx, announce: (what: Wake) => void) => Promise<Result>,
  ): Promise<Result> => {
    const told = new Set<Wake>();
    const result = await db.transaction().execute(async (trx) => {
      const done = await work(trx, (what) => told.add(what));
      if (told.size > 0) await notify(trx, [...told]);
      return done;
    });
    for (const what of told) wake(what);
    return result;
  };

  return {
    db,
    dialect,
    wake,
    async transaction(work) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await tryOnce(work);
        } catch (error) {
          if (!isLostRace(error) || attempt === TRIES) throw error;
        }
      }
    },
    onWake(listener) {
      emitter.on('wake', listener);
      return () => emitter.off('wake', listener);
    },
  };
}
