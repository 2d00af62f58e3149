import type { HelpInput } from '../contracts/agent/help-request.ts';
import type { InputRef } from '../contracts/command.ts';
import type { RunState } from '../contracts/run-state.ts';
import type { Vault } from '../ports/ports.ts';
import { looksLikeCredential } from './looks-like-credential.ts';

export interface GivenSecret {
  key: string;
  value: string;
}

/**
 * A value is secret if any question of the run asked for its key as a secret, or if it looks like a credential. The second rule is
 * needed because the agent decides which inputs it asks for as secrets. All other values (addresses, versions, sentences) may
 * appear in files and texts.
 */
export function isSecret(secretKeys: ReadonlySet<string>, key: string, value: string): boolean {
  return secretKeys.has(key) || looksLikeCredential(value);
}

export function secretKeysOf(state: RunState): Set<string> {
  return new Set(askedInputs(state).flatMap(({ key, secret }) => (secret ? [key] : [])));
}

/** The inputs that all questions asked for, newest question first. */
export function askedInputs({ escalations }: RunState): HelpInput[] {
  return escalations.toReversed().flatMap(({ inputs }) => inputs);
}

/** Every secret that was given, including replaced ones. Empty once the run's values are deleted. */
export async function openSecrets(vault: Vault, state: RunState): Promise<GivenSecret[]> {
  const secretKeys = secretKeysOf(state);
  const opened = new Map<string, GivenSecret>();
  for (const given of inputsByAnswer(state)) {
    const refs = Object.values(given).flatMap(({ ref, actions_secret }) => (actions_secret ? [] : [ref]));
    if (refs.length === 0) continue;
    for (const [key, value] of Object.entries(await vault.open(state.run, refs)))
      if (isSecret(secretKeys, key, value)) opened.set(`${key}=${value}`, { key, value });
  }
  return [...opened.values()];
}

/** The inputs of each answer separately, because the vault returns one value per key. */
export function inputsByAnswer({ escalations, given }: RunState): Record<string, InputRef>[] {
  const answered = escalations.flatMap(({ resolution, responses }) => [
    ...responses.map(({ command }) => (command.name === 'provide' ? command.inputs : {})),
    resolution?.inputs ?? {},
  ]);
  const seen = new Set<string>();
  return [...answered, given].map((inputs) =>
    Object.fromEntries(Object.entries(inputs).filter(([, { ref }]) => !seen.has(ref) && seen.add(ref))),
  );
}
