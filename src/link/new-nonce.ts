import { randomBytes } from 'node:crypto';

const NONCE_BYTES = 24;

/** A random value that only the claiming step knows. */
export function newNonce(): string {
  return randomBytes(NONCE_BYTES).toString('base64url');
}
