import type { ParsedText } from '../../commands/spec/command-spec.ts';
import type { Reply } from '../../core/contracts/effect.ts';
import { pendingEscalation, type RunState } from '../../core/contracts/run-state.ts';
import type { Handled } from '../../core/decide/handle.ts';
import { looksLikeCredential } from '../../core/secrets/looks-like-credential.ts';
import { askedInputs, type GivenSecret, isSecret, secretKeysOf } from '../../core/secrets/secrets-of-run.ts';

/** A secret in a text that everybody can read. */
export interface Exposed {
  /** The key that the secret was given for. Absent if it is elsewhere in the text. */
  key?: string;
  /** The name of the secret in the reply. */
  label: string;
}

const SOMETHING: Exposed = { label: 'what looks like a credential' };
const GIVEN_AFTER_KEY = /^["'`*]*\s*[=:]\s*["'`*]*(?=\S)/;
/** `/provide` and misspellings of it, because either way the person gives a value. */
const MEANT_TO_GIVE = /^\s*\/prov/im;

/** P-9: finds secrets in a person's text, even if the rest was not understood or the question is closed. */
export function findExposed(
  state: RunState,
  text: string,
  parsed: ParsedText,
  known: readonly GivenSecret[],
): Exposed[] {
  const secretKeys = secretKeysOf(state);
  const asked = askedInputs(state);
  const labelOf = (key: string) => asked.find((input) => input.key === key)?.label ?? key;
  if (parsed.kind === 'command' && parsed.command.name === 'provide') {
    const keys = Object.entries(parsed.command.inputs)
      .filter(([key, value]) => isSecret(secretKeys, key, value))
      .map(([key]) => ({ key, label: labelOf(key) }));
    if (keys.length > 0) return keys;
  }
  if (looksLikeCredential(text)) return [SOMETHING];
  if (parsed.kind !== 'reply') return [];
  // A value was given in the wrong form, so its end is unknown and only its key can be named.
  const awaited = MEANT_TO_GIVE.test(text) ? secretKeys : awaitedSecrets(state);
  return [...secretKeys]
    .filter((key) => valuesAfter(text, key).some((value) => awaited.has(key) || isKnown(value, known)))
    .map((key) => ({ label: labelOf(key) }));
}

/**
 * The secret keys of the open question. Without an open question, a key and a colon are ordinary text, as in "api_key: document
 * it".
 */
function awaitedSecrets(state: RunState): Set<string> {
  const inputs = pendingEscalation(state)?.inputs ?? [];
  return new Set(inputs.flatMap(({ key, secret }) => (secret ? [key] : [])));
}

/** The values that follow the key in the text. */
function valuesAfter(text: string, key: string): string[] {
  const rests = text.split(key, 100).slice(1);
  return rests.flatMap((rest) => {
    const [between] = GIVEN_AFTER_KEY.exec(rest.slice(0, 100)) ?? [];
    return between === undefined ? [] : [rest.slice(between.length)];
  });
}

function isKnown(text: string, known: readonly GivenSecret[]): boolean {
  return known.some(({ value }) => text.startsWith(value));
}

/** The exposed secrets that the run has stored. Nothing was kept of the others. */
export function whichStored(exposed: readonly Exposed[], decided: Handled | undefined): Exposed[] {
  if (!decided) return [];
  const given = decided.events.flatMap((event) => (event.type === 'inputs_given' ? [event.inputs] : []));
  // The decision was made before and only the reply was lost, so the run's state is the source.
  const before = decided.duplicate
    ? [decided.state.given, ...decided.state.escalations.map(({ resolution }) => resolution?.inputs ?? {})]
    : [];
  return exposed.filter(
    ({ key }) => key !== undefined && [...given, ...before].some((inputs) => key in inputs),
  );
}

/** Advises to rotate the secrets, and says where they were found and whether they were stored. */
export function adviseRotation(
  exposed: readonly Exposed[],
  stored: readonly Exposed[],
  { found, because = '' }: { found: 'comment' | 'review'; because?: string },
): Reply {
  const left = exposed.filter((one) => !stored.includes(one));
  const newOne = 'Give the new one as an Actions secret, or where the question says.';
  const outcome =
    left.length === 0
      ? 'The value was taken.'
      : stored.length === 0
        ? `The value was not taken. ${because}`.trim()
        : `Taken: ${list(stored)}. Not taken: ${list(left)}.`;
  return {
    tone: 'refused',
    title: `Please rotate: ${list(exposed)}. It came in a ${found}.`,
    detail: [
      found === 'comment'
        ? 'The comment is deleted, but notification e-mails may carry the value, and so may any page that was open.'
        : 'A review cannot be deleted: edit it, and take the value out.',
      outcome,
      newOne,
    ].join(' '),
  };
}

function list(exposed: readonly Exposed[]): string {
  return exposed.map(({ label }) => label).join(', ');
}
