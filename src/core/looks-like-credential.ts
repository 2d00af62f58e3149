/** Shapes that services give their keys. A miss costs nothing, a hit only deletes a comment. */
const SHAPES = [
  /\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}/,
  /\bsk-[A-Za-z0-9_-]{20,}/,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/,
  /\bglpat-[A-Za-z0-9_-]{16,}/,
  /\bxox[abeprs]-[A-Za-z0-9-]{10,}/,
  /\bAKIA[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
  /\bnpm_[A-Za-z0-9]{30,}/,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:[^\s/@]{6,}@/i,
];

/** GitHub takes 65,536 characters in a comment; values are shorter. */
const MAX_LOOKED_AT = 70_000;

export function looksLikeCredential(text: string): boolean {
  const bounded = text.slice(0, MAX_LOOKED_AT);
  return SHAPES.some((shape) => shape.test(bounded));
}

const SEPARATORS = /[\s,.'_/:@-]+/;
const MIN_TOKEN_LENGTH = 8;

/** Whether a value of unknown purpose reads as words, a number, a path or an address, rather than as something to hide. */
export function readsPlainly(value: string): boolean {
  if (value.length < MIN_TOKEN_LENGTH) return true;
  if (looksLikeCredential(value)) return false;
  return value.split(SEPARATORS).every((part) => /^(?:\p{L}*|\d*|[\p{L}\d]{1,4})$/u.test(part));
}
