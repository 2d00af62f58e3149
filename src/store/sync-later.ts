import { closeSync, fdatasync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { StoreUnavailableError } from '../core/ports/store-unavailable.ts';

/** Resolves when everything that was written to the file is on the disk. */
export type SyncFile = (descriptor: number) => Promise<void>;

interface SyncLater {
  /**
   * Runs commits that do not wait for the disk. Nothing else may use the connection meanwhile, but it is free while `synced` is
   * pending, which resolves when they are on the disk.
   */
  commit<Result>(commits: () => Promise<Result>): Promise<{ result: Result; synced: Promise<void> }>;
  /** Throws while something that was committed cannot be synced, because what is written behind it would be lost with it. */
  beforeUse(): void;
  /** Waits for a sync that is under way, because its descriptor may belong to another file afterwards. */
  close(): Promise<void>;
}

/**
 * Lets a thread of Node's pool wait for the disk. SQLite itself waits within the statement, and with it everything else in this
 * process.
 */
export function createSyncLater(
  connection: DatabaseSync,
  syncFile: SyncFile = promisify(fdatasync),
): SyncLater {
  let descriptor: number | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let isUnsynced = false;

  /**
   * After a sync has failed, the system may take for written what it could not write, so that a later sync would prove nothing.
   * SQLite therefore copies everything to the database file, which it syncs.
   */
  const rescue = (): void => {
    let cause: unknown;
    try {
      if (connection.prepare('pragma wal_checkpoint(truncate)').get()?.busy === 0) {
        isUnsynced = false;
        return;
      }
    } catch (error) {
      cause = error;
    }
    throw new StoreUnavailableError(
      'The store cannot be used now: the disk refuses to write. Try again later.',
      { cause },
    );
  };

  const syncOnce = async (): Promise<void> => {
    // SQLite makes this file with the first commit, writes it over from its beginning, and deletes it only when it closes.
    descriptor ??= openSync(`${connection.location()}-wal`, 'r+');
    if (!isUnsynced)
      await syncFile(descriptor).catch(() => {
        isUnsynced = true;
      });
    if (isUnsynced) rescue();
  };

  const start = (): Promise<void> => {
    next = undefined;
    running = syncOnce().finally(() => {
      running = undefined;
    });
    return running;
  };

  const sync = (): Promise<void> => {
    if (!running) return start();
    // The one under way may have begun before the commit. All that come meanwhile share the one after it.
    next ??= running.then(start, start);
    return next;
  };

  return {
    async commit(commits) {
      connection.exec('pragma synchronous = normal');
      try {
        return { result: await commits(), synced: sync() };
      } finally {
        connection.exec('pragma synchronous = full');
      }
    },
    beforeUse() {
      if (isUnsynced) rescue();
    },
    async close() {
      await Promise.allSettled([running, next]);
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}
