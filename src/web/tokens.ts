import { createHash, createHmac, randomBytes } from 'node:crypto';

/** Only hashes are stored: who reads the database cannot speak for a job. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Of a changeset, as its verifier names it. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function createTicket(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The token of a claim. With a nonce it follows from what only the claiming job knows, so that a repeated claim, whose
 * first answer was lost, is given the same one.
 */
export function tokenFor(ticket: string, attempt: number, nonce: string | undefined): string {
  if (nonce === undefined) return randomBytes(32).toString('base64url');
  return createHmac('sha256', ticket).update(`${attempt}:${nonce}`).digest('base64url');
}
