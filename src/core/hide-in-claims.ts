import { Claim, type Envelope } from './envelope.ts';
import { normalizeError } from './error-signature.ts';
import { createSecretHider } from './hide-secrets.ts';
import { Verification } from './verification.ts';

/** Statuses, kinds, ids and times: a claim without them is not understood any more. */
const WORD_OF_OURS = /^(?:[a-z_]{1,40}|\d{4}-\d\d-\d\dT[\d:.]{8,15}Z)$/;
/** An outcome in one line. It is cut before its end, so a part of a value may stand in its midst. */
const OUTCOME = /^(?:error|test-fail):/;
const MIN_BEGINNING = 8;

/** What a job says, without any of the values. */
export function hideInEnvelope(envelope: Envelope, values: readonly string[]): Envelope {
  const { type, data } = envelope;
  const hidden = hideInClaims({ type, data }, values, (said) => Claim.safeParse(said).success);
  return { ...envelope, ...hidden };
}

export function hideInVerification(verification: Verification, values: readonly string[]): Verification {
  return hideInClaims(verification, values, (said) => Verification.safeParse(said).success);
}

/** Words of ours stay only where a claim would not be understood otherwise: a value may happen to be one of them. */
function hideInClaims<T>(said: T, values: readonly string[], isUnderstood: (said: T) => boolean): T {
  if (values.length === 0) return said;
  const slugs = values.map(slug).filter((text) => text.length >= MIN_BEGINNING);
  const { hide, hideDeep } = createSecretHider([...values, ...slugs, ...values.flatMap(signatureOf)]);
  const hideText = (text: string) => hide(OUTCOME.test(text) ? cutOutcome(text, slugs) : text);
  const hidden = hideDeep(said, hideText);
  if (isUnderstood(hidden) || !isUnderstood(said)) return hidden;
  return hideDeep(said, (text) => (WORD_OF_OURS.test(text) ? text : hideText(text)));
}

function cutOutcome(text: string, slugs: readonly string[]): string {
  const found = slugs.map((value) => text.indexOf(value.slice(0, MIN_BEGINNING))).filter((at) => at >= 0);
  return found.length > 0 ? `${text.slice(0, Math.min(...found))}•••` : text;
}

/** As outcomes show it. */
function slug(value: string): string {
  return value.replace(/[^\p{L}\p{N}_./]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '');
}

/** As it stands in the signature of an error, unless nothing but places and times is left of it. */
function signatureOf(value: string): string[] {
  const signature = normalizeError(value);
  return signature.replace(/<\w+>/g, '').length >= MIN_BEGINNING ? [signature] : [];
}
