import { findCredentials } from './find-credentials.ts';

/**
 * More than in other texts: what a person gives or writes is judged as a whole, and taking a name for a key only makes it secret
 * there.
 */
const BROADER = [
  /\b[sr]k_(?:live|test)_[A-Za-z0-9]{10,}/,
  /\bsk-[\w-]{20,}/,
  /\bgithub_pat_\w{20,}/,
  /-----BEGIN [A-Z ]{0,80}PRIVATE KEY-----/,
];

/** Longer than any comment on GitHub, which has at most 65,536 characters. */
const MAX_LOOKED_AT = 70_000;

export function looksLikeCredential(text: string): boolean {
  const bounded = text.slice(0, MAX_LOOKED_AT);
  return findCredentials(bounded).length > 0 || BROADER.some((shape) => shape.test(bounded));
}
