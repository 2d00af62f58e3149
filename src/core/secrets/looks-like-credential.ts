/** Formats of secret keys. Publishable keys, such as Stripe's `pk_`, are not among them. */
const SHAPES = [
  /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}/,
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

/** Longer than any comment on GitHub, which has at most 65,536 characters. */
const MAX_LOOKED_AT = 70_000;

export function looksLikeCredential(text: string): boolean {
  const bounded = text.slice(0, MAX_LOOKED_AT);
  return SHAPES.some((shape) => shape.test(bounded));
}

/** For text of others whose secrets nobody told us. A private key takes its lines with it. */
export function hideCredentials(text: string, mask: string): string {
  const whole = text.replace(
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?!-----)[\s\S]){0,10000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
    mask,
  );
  return SHAPES.reduce((rest, shape) => rest.replace(new RegExp(shape, `${shape.flags}g`), mask), whole);
}
