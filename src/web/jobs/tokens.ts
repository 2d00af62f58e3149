import { createHash, createHmac, randomBytes } from 'node:crypto';

/** Only hashes are stored, so that reading the database does not allow anybody to act as a job. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function createTicket(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The token of a claim. With a nonce it is derived from values that only the claiming job knows, so that a repeated claim whose
 * first response was lost gets the same token. `begin` is known to the main step alone.
 */
export function tokenFor(
  ticket: string,
  attempt: number,
  nonce: string | undefined,
  begin: string | undefined,
): string {
  if (nonce === undefined) return randomBytes(32).toString('base64url');
  const known = begin === undefined ? [attempt, nonce] : [attempt, nonce, begin];
  return createHmac('sha256', ticket).update(known.join(':')).digest('base64url');
}
