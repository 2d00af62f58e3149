import type { Db } from './hosted/tables.ts';
import { SealError, type Sealer } from './seal.ts';

const NAME = 'key_check';
const CONTEXT = ['settings', NAME];

/** Finds a wrong key when the store is opened, not when the first value is needed. */
export async function checkKey(db: Db, sealer: Sealer): Promise<void> {
  const fresh = { name: NAME, value: sealer.seal(Buffer.from(NAME), CONTEXT) };
  await db
    .insertInto('settings')
    .values(fresh)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { value } = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', NAME)
    .executeTakeFirstOrThrow();
  try {
    sealer.open(value, CONTEXT);
  } catch (cause) {
    throw new SealError(
      'The key does not fit this database. Give the key it was made with; to change it, put the new key first and the old one behind it, with a comma between.',
      { cause },
    );
  }
  if (sealer.isOutdated(value)) {
    await db.updateTable('settings').set({ value: fresh.value }).where('name', '=', NAME).execute();
  }
}
