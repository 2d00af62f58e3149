import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { blobContext } from '../hosted/blobs.ts';
import { inputContext } from '../hosted/sealed-vault.ts';
import { SealError, type Sealer } from '../seal.ts';

type Row = Record<'ref' | 'run' | 'key' | 'name', string> & { sealed: Uint8Array };

/**
 * Seals the values in the database with the key in use, if an older one sealed them. The state around them is sealed again by
 * the next save, and then nothing needs the older key any more.
 */
export function resealValues(connection: DatabaseSync, sealer: Sealer): void {
  const read = (sql: string) => connection.prepare(sql).all() as unknown as Row[];
  const reseal = (sealed: Uint8Array, context: string[], write: (sealed: SQLInputValue) => void) => {
    if (!sealer.isOutdated(sealed)) return;
    try {
      write(sealer.seal(sealer.open(sealed, context), context));
    } catch (error) {
      // One value that no given key opens must not cost the whole state.
      if (!(error instanceof SealError)) throw error;
    }
  };
  const input = connection.prepare('update inputs set sealed = ? where ref = ?');
  for (const { ref, run, key, sealed } of read('select ref, run, key, sealed from inputs'))
    reseal(sealed, inputContext(run, key, ref), (again) => input.run(again, ref));
  const blob = connection.prepare('update blobs set bytes = ? where run = ? and name = ?');
  for (const { run, name, sealed } of read('select run, name, bytes as sealed from blobs'))
    reseal(sealed, blobContext(run, name), (again) => blob.run(again, run, name));
}
