import type { NamedRepository } from '../../core/bindings-of.ts';
import type { RefStorage } from '../../core/ports/ref-storage.ts';
import { refOf } from './ref-name.ts';
import type { EntryName } from './ref-store.ts';
import { createSealedEntry } from './sealed-entry.ts';

/** Entries that the desk left for a build, which has neither the lease nor the state's key. */
interface RefEntries {
  /** Undefined if there is none. Throws a `UserError` if this key does not open it. */
  open(name: EntryName, key: string): Promise<Uint8Array | undefined>;
}

/** The ref is read once. */
export async function readRefEntries({
  storage,
  repository,
  issue,
}: {
  storage: Pick<RefStorage, 'read' | 'blob'>;
  repository: NamedRepository;
  issue: number;
}): Promise<RefEntries> {
  const tip = await storage.read(refOf(issue));
  return {
    async open(name, key) {
      const oid = tip?.entries[name];
      const entry = createSealedEntry({ repository, issue, entry: name }, { key });
      return oid ? entry.open(await storage.blob(oid)) : undefined;
    },
  };
}
