import type { ParsedText } from '../../commands/spec/command-spec.ts';
import type { ExposedSecret } from '../../core/contracts/input.ts';
import { pendingEscalation, type RunState } from '../../core/contracts/run-state.ts';
import { looksLikeCredential } from '../../core/secrets/looks-like-credential.ts';
import { askedInputs, type GivenSecret, isSecret, secretKeysOf } from '../../core/secrets/secrets-of-run.ts';

const SOMETHING: ExposedSecret = { label: 'what looks like a credential' };
const GIVEN_AFTER_KEY = /^["'`*]*\s*[=:]\s*["'`*]*(?=\S)/;
/** `/provide` and misspellings of it, because either way the person gives a value. */
const MEANT_TO_GIVE = /^\s*\/prov/im;

/** P-9: finds secrets in a person's text, even if the rest was not understood or the question is closed. */
export function findExposed(
  state: RunState,
  text: string,
  parsed: ParsedText,
  known: readonly GivenSecret[],
): ExposedSecret[] {
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
