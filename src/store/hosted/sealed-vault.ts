import { randomBytes } from 'node:crypto';
import type { Vault } from '../../core/ports/ports.ts';
import type { Sealer } from '../seal.ts';
import type { Database } from './database.ts';

const REF_BYTES = 18;
const MAX_REFS = 1000;

/** Given values, encrypted and bound to their run, key and reference. */
export function createSealedVault({ db }: Database, sealer: Sealer): Vault {
  return {
    async put(run, key, value) {
      const ref = `input-${randomBytes(REF_BYTES).toString('base64url')}`;
      const sealed = sealer.seal(Buffer.from(value), inputContext(run, key, ref));
      await db.insertInto('inputs').values({ ref, run, key, sealed }).execute();
      return ref;
    },
    async open(run, refs) {
      if (refs.length === 0) return {};
      if (refs.length > MAX_REFS)
        throw new RangeError(
          `${refs.length} values of run ${run} at once; the vault opens ${MAX_REFS} at most.`,
        );
      const rows = await db
        .selectFrom('inputs')
        .select(['ref', 'key', 'sealed'])
        .where('run', '=', run)
        .where('ref', 'in', refs)
        .execute();
      const found = new Map(rows.map((row) => [row.ref, row]));
      // In the requested order, so that the last reference wins if two have the same key.
      return Object.fromEntries(
        refs.flatMap((ref) => {
          const row = found.get(ref);
          if (!row) return [];
          return [[row.key, sealer.open(row.sealed, inputContext(run, row.key, ref)).toString('utf8')]];
        }),
      );
    },
    async forget(run) {
      await db.deleteFrom('inputs').where('run', '=', run).execute();
    },
  };
}

export function inputContext(run: string, key: string, ref: string): string[] {
  return ['input', run, key, ref];
}
