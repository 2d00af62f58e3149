import { createHash } from 'node:crypto';
import type { RefStorage, RefTip } from '../../../src/core/ports/ref-storage.ts';

/** Refs without GitHub: the same compare-and-swap, by the same rules. */
export interface MemoryRefStorage extends RefStorage {
  tips: Map<string, RefTip>;
  blobs: Map<string, Uint8Array>;
  /** How often each method was called. */
  calls: Record<string, number>;
}

/** `turn` is awaited before each call takes place, and once more before its answer is there. */
export function createMemoryRefStorage(turn: () => Promise<void> = async () => undefined): MemoryRefStorage {
  const tips = new Map<string, RefTip>();
  const blobs = new Map<string, Uint8Array>();
  const calls: Record<string, number> = {};

  const put = (bytes: Uint8Array): string => {
    const oid = oidOf(bytes);
    blobs.set(oid, Uint8Array.from(bytes));
    return oid;
  };
  const called = async <Result>(name: string, work: () => Result): Promise<Result> => {
    calls[name] = (calls[name] ?? 0) + 1;
    await turn();
    const result = work();
    await turn();
    return result;
  };

  return {
    tips,
    blobs,
    calls,
    read: (ref) => called('read', () => structuredClone(tips.get(ref))),
    blob: (oid) =>
      called('blob', () => {
        const bytes = blobs.get(oid);
        if (!bytes) throw new Error(`no blob ${oid}`);
        return Uint8Array.from(bytes);
      }),
    swap: (ref, before, { message, entries }) =>
      called('swap', () => {
        if (tips.get(ref)?.oid !== before) return undefined;
        const oids = Object.entries(entries).map(([name, entry]) => [
          name,
          entry instanceof Uint8Array ? put(entry) : entry.oid,
        ]);
        const tip = { message, entries: Object.fromEntries(oids) };
        const oid = oidOf(Buffer.from(JSON.stringify([before, tip])));
        tips.set(ref, { oid, ...tip });
        return { oid, entries: structuredClone(tip.entries) };
      }),
    list: (prefix) => called('list', () => [...tips.keys()].filter((ref) => ref.startsWith(prefix))),
    remove: (ref, before) =>
      called('remove', () => {
        const tip = tips.get(ref);
        if (tip && tip.oid !== before) return false;
        tips.delete(ref);
        return true;
      }),
  };
}

function oidOf(bytes: Uint8Array): string {
  return createHash('sha1').update(bytes).digest('hex');
}
