import { closeSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { userError } from '../core/error-catalogue.ts';
import { IN_MEMORY } from './sqlite-file.ts';
import { isBusy } from './unavailable.ts';

/** How long another server may take between writing its name and holding the lock again. */
const BUSY_MS = 500;

/**
 * Keeps a second server off the SQLite file, because two of them would not wake each other. The lock is a transaction on a
 * small database beside the file: the system releases it when the process dies, however it dies. Others may still open the store.
 */
export function holdServerLock(file: string): { release(): void } {
  if (file === IN_MEMORY) return { release: () => undefined };
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Made first, because a link whose target is not there yet would be taken for another file.
  closeSync(openSync(file, 'a', 0o600));
  const lockFile = `${realpathSync(file)}.server`;
  closeSync(openSync(lockFile, 'a', 0o600));
  const database = new DatabaseSync(lockFile, { timeout: BUSY_MS });
  try {
    begin(database);
    database.exec('create table if not exists holder (pid integer not null, host text not null)');
    database.exec('delete from holder');
    database.prepare('insert into holder (pid, host) values (?, ?)').run(process.pid, hostname());
    database.exec('commit');
    // A write lock without a write leaves the name readable for those who come later.
    begin(database);
  } catch (error) {
    const problem = isBusy(error) ? describeHolder(database, file) : undefined;
    database.close();
    throw problem === undefined ? error : userError('store_unusable', { problem });
  }
  return { release: () => database.close() };
}

function begin(database: DatabaseSync): void {
  database.exec('begin immediate');
}

function describeHolder(database: DatabaseSync, file: string): string {
  const problem = 'A database file is for one server; for several use PostgreSQL.';
  const holder = readHolder(database);
  const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another process';
  return `The database file ${file} is in use by another server (${who}). ${problem}`;
}

function readHolder(database: DatabaseSync): { pid: number; host: string } | undefined {
  try {
    const row = database.prepare('select pid, host from holder').get();
    return row && { pid: Number(row.pid), host: String(row.host) };
  } catch {
    // The other server is just writing its name.
    return undefined;
  }
}
