import { BlockedReport } from '../contracts/agent/blocked-report.ts';
import { INPUT_KEY } from '../contracts/agent/help-request.ts';
import { Claim, type Envelope, guardsIn } from '../contracts/envelope.ts';
import type { Rules } from '../contracts/rules.ts';
import { BaseVerification, Verification } from '../contracts/verification.ts';
import type { WorkFacts } from '../contracts/work-facts.ts';
import { normalizeError } from '../errors/error-signature.ts';
import { isCommonValue } from './common-value.ts';
import { createSecretHider } from './hide-secrets.ts';

/** Statuses, kinds, ids and times. A claim in which one of them is masked cannot be parsed any more. */
const PROTOCOL_WORD = /^(?:[a-z_]{1,40}|\d{4}-\d\d-\d\dT[\d:.]{8,15}Z)$/;
const ID = /^[\w.-]{1,100}$/;
/** Fields that are used for lookups. They are not masked even if they contain a value, because the lookup would fail. */
const IDENTIFIERS: Readonly<Record<string, RegExp>> = {
  key: INPUT_KEY,
  escalation: ID,
  answer: ID,
  agent: ID,
  exit: /^(?:exit \d{1,3}|killed by [A-Z\d]{1,12})$/,
};
/** Fields with file paths. Common values are not masked in them, because files are approved by their path. */
const PATHS: ReadonlySet<string> = new Set([
  'path',
  'paths',
  'file',
  'files',
  'scope',
  'handoff_path',
  'unresolved',
]);
/** A result signature. Its parts are truncated, so the beginning of a value may be anywhere in it. */
const OUTCOME = /^(?:error|test-fail):/;
const MIN_BEGINNING = 8;

/** A copy of a job's envelope in which the values and all credentials are masked. */
export function hideInEnvelope(
  envelope: Envelope,
  values: readonly string[],
  rules: Pick<Rules, 'readStates'>,
): Envelope {
  const { type, data } = envelope;
  const isUnderstood = (candidate: unknown): boolean => {
    const claim = Claim.safeParse(candidate);
    return claim.success && rules.readStates(guardsIn(claim.data)).unreadable.length === 0;
  };
  return { ...envelope, ...hideInClaims({ type, data }, values, isUnderstood) };
}

export function hideInVerification(verification: Verification, values: readonly string[]): Verification {
  return hideInClaims(verification, values, (candidate) => Verification.safeParse(candidate).success);
}

export function hideInBaseVerification(
  result: BaseVerification,
  values: readonly string[],
): BaseVerification {
  return hideInClaims(result, values, (candidate) => BaseVerification.safeParse(candidate).success);
}

/** Paths of work in which the values are masked. They go to questions, feedback and the journal. */
export function hideInFacts(facts: WorkFacts, values: readonly string[]): WorkFacts {
  const { hideValues, hideDeep } = createSecretHider(values.filter((value) => !isCommonValue(value)));
  return hideDeep(
    facts,
    (text, field) => (PATHS.has(field) ? hideValues(text) : text),
    (name) => name,
  );
}

/** For reports in public places where nothing else masks the values. */
export function hideInReport<Report extends BlockedReport>(
  report: Report,
  values: readonly string[],
): Report {
  return hideInClaims(report, values, (candidate) => BlockedReport.safeParse(candidate).success);
}

/** Protocol words stay unmasked only if the claim could not be parsed otherwise, because a value may equal one of them. */
function hideInClaims<T>(claims: T, values: readonly string[], isUnderstood: (candidate: T) => boolean): T {
  const slugs = values.map(slug).filter((text) => text.length >= MIN_BEGINNING);
  const { hide, hideDeep } = createSecretHider([...values, ...slugs, ...values.flatMap(signatureOf)]);
  const inPaths = createSecretHider(values.filter((value) => !isCommonValue(value)));
  const hideText = (text: string) => hide(OUTCOME.test(text) ? cutOutcome(text, slugs) : text);
  if (!isUnderstood(claims)) return hideDeep(claims, hideText);
  const hideField = (text: string, field: string) => {
    if (PATHS.has(field)) return inPaths.hideValues(text);
    return Object.hasOwn(IDENTIFIERS, field) && IDENTIFIERS[field]?.test(text) ? text : hideText(text);
  };
  // The property names of a claim that was parsed come from our schema and not from the agent.
  const hideName = (name: string) => (PROTOCOL_WORD.test(name) ? name : hide(name));
  const hidden = hideDeep(claims, hideField, hideName);
  if (isUnderstood(hidden)) return hidden;
  const hideUnlessProtocolWord = (text: string, field: string) =>
    PROTOCOL_WORD.test(text) ? text : hideField(text, field);
  return hideDeep(claims, hideUnlessProtocolWord, hideName);
}

function cutOutcome(text: string, slugs: readonly string[]): string {
  const found = slugs.map((value) => text.indexOf(value.slice(0, MIN_BEGINNING))).filter((at) => at >= 0);
  return found.length > 0 ? `${text.slice(0, Math.min(...found))}•••` : text;
}

/** The form a value has in a result signature. */
function slug(value: string): string {
  return value.replace(/[^\p{L}\p{N}_./]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '');
}

/** The form a value has in the signature of an error. None if almost only placeholders such as `<time>` are left of it. */
function signatureOf(value: string): string[] {
  const signature = normalizeError(value);
  return signature.replace(/<\w+>/g, '').length >= MIN_BEGINNING ? [signature] : [];
}
