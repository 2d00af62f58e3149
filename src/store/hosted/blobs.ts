import type { Blobs } from '../../core/ports/hosted-store.ts';
import type { Sealer } from '../seal.ts';
import type { Database } from './database.ts';

/** The first byte of a changeset that was stored before changesets were sealed. No sealed value begins with it. */
const PLAIN = '{'.charCodeAt(0);
const MAX_BYTES = 256 * 1024 * 1024;

export function createBlobs({ db, dialect, transaction }: Database, sealer: Sealer): Blobs {
  return {
    async put(run, name, plain, atVersion) {
      if (plain.byteLength > MAX_BYTES)
        throw new RangeError(
          `${name} of run ${run} has ${plain.byteLength} bytes; the store takes ${MAX_BYTES} at most.`,
        );
      // Work and conversations of an agent may contain values that it was given.
      const bytes = sealer.seal(plain, blobContext(run, name));
      return transaction(async (trx) => {
        if (atVersion !== undefined) {
          const row = trx.selectFrom('runs').select('version').where('run', '=', run);
          // Locks the run until the bytes are stored, so that its version cannot change in between.
          const present = await (dialect === 'postgres' ? row.forShare() : row).executeTakeFirst();
          if (present?.version !== atVersion) return false;
        }
        await trx
          .insertInto('blobs')
          .values({ run, name, bytes })
          .onConflict((conflict) => conflict.columns(['run', 'name']).doUpdateSet({ bytes }))
          .execute();
        return true;
      });
    },
    async get(run, name) {
      const row = await db
        .selectFrom('blobs')
        .select('bytes')
        .where('run', '=', run)
        .where('name', '=', name)
        .executeTakeFirst();
      if (!row) return undefined;
      const isPlain = name === 'changeset' && row.bytes[0] === PLAIN;
      return isPlain ? row.bytes : sealer.open(row.bytes, blobContext(run, name));
    },
  };
}

/** A blob is bound to its run and name. */
export function blobContext(run: string, name: string): string[] {
  return ['blob', run, name];
}
