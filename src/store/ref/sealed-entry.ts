import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
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
  /** owner/name */
  repository: string;
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
  const context = ['ref', repository.toLowerCase(), String(issue), entry];
  const ref = refOf(issue);
  const decode = (stored: Uint8Array) => Buffer.from(Buffer.from(stored).toString('latin1'), 'base64');
  const damaged = () => userError('state_damaged', { ref, entry, repository });
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
        return zstdDecompressSync(sealer.open(sealed, context), { maxOutputLength: MAX_PLAIN_BYTES });
      } catch (error) {
        if (!(error instanceof UnknownKeyError)) throw damaged();
        throw userError('state_key_wrong', { ref, entry, repository, derived: isDerived });
      }
    },
  };
}
