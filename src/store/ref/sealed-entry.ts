import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { bindingsOf, type NamedRepository } from '../../core/bindings-of.ts';
import { userError } from '../../core/error-catalogue.ts';
import { createSealer, UnknownKeyError } from '../seal.ts';
import { refOf } from './ref-name.ts';

/** GitHub takes blobs of 40 MiB from its API; base64 makes a third more of the bytes. */
const MAX_SEALED_BYTES = 30 * 1024 * 1024;
const MAX_PLAIN_BYTES = 256 * 1024 * 1024;

/** One entry of the ref, compressed and sealed for its place. An entry of another issue or repository cannot be opened here. */
interface SealedEntry {
  seal(plain: Uint8Array): Uint8Array;
  open(stored: Uint8Array): Buffer;
  /** True if it was sealed with a key that is not the first any more. */
  isOutdated(stored: Uint8Array): boolean;
}

interface EntryPlace {
  repository: NamedRepository;
  issue: number;
  entry: string;
}

export function createSealedEntry(
  { repository, issue, entry }: EntryPlace,
  {
    key,
    isDerived = false,
    maxBytes = MAX_SEALED_BYTES,
  }: { key: string; isDerived?: boolean; maxBytes?: number },
): SealedEntry {
  const sealer = createSealer(key);
  const [context, olderContext] = bindingsOf(repository).map((binding) => [
    ...['ref', binding, String(issue), entry],
  ]) as [string[], string[]];
  const ref = refOf(issue);
  const decode = (stored: Uint8Array) => Buffer.from(Buffer.from(stored).toString('latin1'), 'base64');
  const about = { ref, entry, repository: repository.name };
  const damaged = () => userError('state_damaged', about);
  const openSealed = (sealed: Buffer) => {
    try {
      return sealer.open(sealed, context);
    } catch (error) {
      if (error instanceof UnknownKeyError) throw error;
      return sealer.open(sealed, olderContext);
    }
  };
  return {
    isOutdated: (stored) => sealer.isOutdated(decode(stored)),
    seal(plain) {
      const sealed = sealer.seal(zstdCompressSync(plain), context);
      if (plain.length > MAX_PLAIN_BYTES || sealed.length > maxBytes)
        throw userError('state_too_large', { ref, entry, megabytes: Math.ceil(sealed.length / 2 ** 20) });
      // As text, because GitHub takes text together with the tree, and bytes only by a call of their own.
      return Buffer.from(Buffer.from(sealed).toString('base64'), 'ascii');
    },
    open(stored) {
      const sealed = decode(stored);
      // Buffer skips whatever is not base64.
      if (stored.length !== Math.ceil(sealed.length / 3) * 4) throw damaged();
      try {
        return zstdDecompressSync(openSealed(sealed), { maxOutputLength: MAX_PLAIN_BYTES });
      } catch (error) {
        if (!(error instanceof UnknownKeyError)) throw damaged();
        throw userError('state_key_wrong', { ...about, derived: isDerived });
      }
    },
  };
}
