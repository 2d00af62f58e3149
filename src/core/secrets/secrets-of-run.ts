import type { InputRef } from '../contracts/command.ts';
import type { HelpInput } from '../contracts/help-request.ts';
import type { RunState } from '../contracts/run-state.ts';
import type { Vault } from '../ports/ports.ts';
import { looksLikeCredential } from './looks-like-credential.ts';

export interface GivenSecret {
  key: string;
  value: string;
}

/**
 * What is secret, for texts, files and comments alike: a value whose key any question of the run asked for as a secret, and a value
 * of the shape of a credential, because it is the agent that says which inputs are secret. Everything else was asked for as plain:
 * addresses, versions, colours and sentences are there to be used, in files and in texts.
 */
export function isSecret(secretKeys: ReadonlySet<string>, key: string, value: string): boolean {
  return secretKeys.has(key) || looksLikeCredential(value);
}

export function secretKeysOf(state: RunState): Set<string> {
  return new Set(askedInputs(state).flatMap(({ key, secret }) => (secret ? [key] : [])));
}

/** Of all questions, the newest first. */
export function askedInputs({ escalations }: RunState): HelpInput[] {
  return escalations.toReversed().flatMap(({ inputs }) => inputs);
}

/** Every secret that was given, also one that was replaced since. Empty once the run's values are forgotten. */
export async function openSecrets(vault: Vault, state: RunState): Promise<GivenSecret[]> {
  const secretKeys = secretKeysOf(state);
  const opened = new Map<string, GivenSecret>();
  for (const given of givenAtOnce(state)) {
    const refs = Object.values(given).flatMap(({ ref, actions_secret }) => (actions_secret ? [] : [ref]));
    if (refs.length === 0) continue;
    for (const [key, value] of Object.entries(await vault.open(state.run, refs)))
      if (isSecret(secretKeys, key, value)) opened.set(`${key}=${value}`, { key, value });
  }
  return [...opened.values()];
}

/** Answer by answer: the vault opens one value for each key. */
function givenAtOnce({ escalations, given }: RunState): Record<string, InputRef>[] {
  const answered = escalations.flatMap(({ resolution, responses }) => [
    ...responses.map(({ command }) => (command.name === 'provide' ? command.inputs : {})),
    resolution?.inputs ?? {},
  ]);
  const seen = new Set<string>();
  return [...answered, given].map((inputs) =>
    Object.fromEntries(Object.entries(inputs).filter(([, { ref }]) => !seen.has(ref) && seen.add(ref))),
  );
}
