import type { RefStorage } from '../../core/ports/ref-storage.ts';
import { refOf } from './ref-name.ts';
import type { EntryName } from './ref-store.ts';
import { createSealedEntry } from './sealed-entry.ts';

/** Reads what the desk left for a build, which has neither the lease nor the state's key. Undefined if there is none. */
export async function readRefEntry({
  storage,
  repository,
  issue,
  jobKey,
  name,
}: {
  storage: Pick<RefStorage, 'read' | 'blob'>;
  /** owner/name */
  repository: string;
  issue: number;
  jobKey: string;
  name: EntryName;
}): Promise<Uint8Array | undefined> {
  const tip = await storage.read(refOf(issue));
  const oid = tip?.entries[name];
  if (!oid) return undefined;
  const entry = createSealedEntry({ repository, issue, entry: name }, { key: jobKey });
  return entry.open(await storage.blob(oid));
}
