import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteFile } from '../sqlite-file.ts';

const BUSY_MS = 10_000;

/**
 * Opens the database of one desk, filled with the image if there is one. Nothing is synced to the disk, because what counts is
 * on the ref, and the file goes with the machine.
 */
export function openImage(file: string, image: Uint8Array | undefined): DatabaseSync {
  if (image) writeFileSync(file, image, { mode: 0o600, flag: 'wx' });
  const connection = openSqliteFile(file, BUSY_MS);
  connection.exec('pragma synchronous = off');
  return connection;
}

/** The database in one piece, without the space of deleted rows. Rows in it are as of one moment. */
export function takeImage(file: string): Buffer {
  const copy = `${file}.image`;
  const connection = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    connection.exec('pragma synchronous = off');
    connection.prepare('vacuum into ?').run(copy);
    return readFileSync(copy);
  } finally {
    connection.close();
    rmSync(copy, { force: true });
  }
}

export function removeImage(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
}
