import { createHash } from 'node:crypto';

/** The digest of a changeset that its verification reports. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
