import { BlockedReport } from '../contracts/blocked-report.ts';
import { Claim, type Envelope, guardsIn } from '../contracts/envelope.ts';
import { INPUT_KEY } from '../contracts/help-request.ts';
import type { Rules } from '../contracts/rules.ts';
import { Verification } from '../contracts/verification.ts';
import { normalizeError } from '../errors/error-signature.ts';
import { isCommonValue } from './common-value.ts';
import { createSecretHider } from './hide-secrets.ts';

/** Statuses, kinds, ids and times: a claim without them is not understood any more. */
const WORD_OF_OURS = /^(?:[a-z_]{1,40}|\d{4}-\d\d-\d\dT[\d:.]{8,15}Z)$/;
const ID = /^[\w.-]{1,100}$/;
/** What is looked up by its name: hidden, it would be found no more, though a value may be a part of it. */
const IDENTIFIERS: Readonly<Record<string, RegExp>> = {
  key: INPUT_KEY,
  escalation: ID,
  answer: ID,
  agent: ID,
  exit: /^(?:exit \d{1,3}|killed by [A-Z\d]{1,12})$/,
};
/** Files are approved by their path. */
const PATHS: ReadonlySet<string> = new Set(['path', 'paths', 'file', 'files', 'scope', 'handoff_path']);
/** An outcome in one line. It is cut before its end, so a part of a value may stand in its midst. */
const OUTCOME = /^(?:error|test-fail):/;
const MIN_BEGINNING = 8;

/** What a job says, without any of the values. */
export function hideInEnvelope(
  envelope: Envelope,
  values: readonly string[],
  rules: Pick<Rules, 'readStates'>,
): Envelope {
  const { type, data } = envelope;
  const isUnderstood = (said: unknown): boolean => {
    const claim = Claim.safeParse(said);
    return claim.success && rules.readStates(guardsIn(claim.data)).anew.length === 0;
  };
  return { ...envelope, ...hideInClaims({ type, data }, values, isUnderstood) };
}

export function hideInVerification(verification: Verification, values: readonly string[]): Verification {
  return hideInClaims(verification, values, (said) => Verification.safeParse(said).success);
}

/** A report for where others can read it and nothing else hides the values. */
export function hideInReport<Report extends BlockedReport>(
  report: Report,
  values: readonly string[],
): Report {
  return hideInClaims(report, values, (said) => BlockedReport.safeParse(said).success);
}

/** Words of ours stay only where a claim would not be understood otherwise: a value may happen to be one of them. */
function hideInClaims<T>(said: T, values: readonly string[], isUnderstood: (said: T) => boolean): T {
  if (values.length === 0) return said;
  const slugs = values.map(slug).filter((text) => text.length >= MIN_BEGINNING);
  const { hide, hideDeep } = createSecretHider([...values, ...slugs, ...values.flatMap(signatureOf)]);
  const inPaths = createSecretHider(values.filter((value) => !isCommonValue(value)));
  const hideText = (text: string) => hide(OUTCOME.test(text) ? cutOutcome(text, slugs) : text);
  if (!isUnderstood(said)) return hideDeep(said, hideText);
  const hideField = (text: string, field: string) => {
    if (PATHS.has(field)) return inPaths.hide(text);
    return Object.hasOwn(IDENTIFIERS, field) && IDENTIFIERS[field]?.test(text) ? text : hideText(text);
  };
  // In a claim that is understood no name is an agent's.
  const hideName = (name: string) => (WORD_OF_OURS.test(name) ? name : hide(name));
  const hidden = hideDeep(said, hideField, hideName);
  if (isUnderstood(hidden)) return hidden;
  const hideOthers = (text: string, field: string) =>
    WORD_OF_OURS.test(text) ? text : hideField(text, field);
  return hideDeep(said, hideOthers, hideName);
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
