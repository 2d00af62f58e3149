import { DatabaseSync } from 'node:sqlite';
import { UserError } from '../../core/error-catalogue.ts';
import { takeImage } from './database-image.ts';

/**
 * Parts of a state that does not fit on its ref, in the order in which they go. No decision needs any of them: runs are loaded
 * from their own rows, and the first line of a journal is kept, because rounds take their limits from it.
 */
const SHED: readonly { what: string; statement: string }[] = [
  {
    what: 'the work of runs that have ended',
    statement: "delete from blobs where run in (select run from runs where phase = 'ended')",
  },
  {
    what: 'the journals of runs that have ended',
    statement:
      "delete from journal where version > 1 and run in (select run from runs where phase = 'ended')",
  },
  {
    what: "what the jobs said in this run's journal",
    statement: "update journal set body = json_remove(body, '$.input') where version > 1",
  },
  { what: 'the journal of this run', statement: 'delete from journal where version > 1' },
];

/** Seals the database, without what has to go first where it is too large. Throws `state_too_large` if that is not enough. */
export function sealShedding(
  file: string,
  image: Buffer,
  seal: (plain: Uint8Array) => Uint8Array,
): { image: Buffer; sealed: Uint8Array; shed: string[] } {
  const shed: string[] = [];
  for (let now = image; ; now = takeImage(file)) {
    try {
      return { image: now, sealed: seal(now), shed };
    } catch (error) {
      const next = SHED[shed.length];
      if (!(error instanceof UserError) || error.code !== 'state_too_large' || !next) throw error;
      change(file, next.statement);
      shed.push(next.what);
    }
  }
}

function change(file: string, statement: string): void {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  try {
    database.exec(statement);
  } finally {
    database.close();
  }
}
