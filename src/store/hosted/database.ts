import { EventEmitter } from 'node:events';
import { isLostRace } from '../unavailable.ts';
import type { Dialect } from './migrate.ts';
import type { Db, Trx } from './tables.ts';

export type Wake = 'inbox' | 'outbox' | `run:${string}`;

/** The connection and transaction helper that all parts of a hosted store share. */
export interface Database {
  readonly db: Db;
  readonly dialect: Dialect;
  /** Runs `work` in a transaction. Its announcements reach the listeners of every instance after the commit. */
  transaction<Result>(work: (trx: Trx, announce: (what: Wake) => void) => Promise<Result>): Promise<Result>;
  onWake(listener: (what: Wake) => void): () => void;
  /** Wakes the local listeners on behalf of another instance. */
  wake(what: Wake): void;
}

/** Only lost races are retried, so this many in a row is a bug. */
const TRIES = 8;

export function createDatabase(options: {
  db: Db;
  dialect: Dialect;
  /** Notifies the other instances as part of the transaction. */
  notify(trx: Trx, what: Wake[]): Promise<void>;
}): Database {
  const { db, dialect, notify } = options;
  const emitter = new EventEmitter().setMaxListeners(0);
  // In a microtask, so that an error in a listener does not look like a failed commit.
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
