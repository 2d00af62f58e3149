import type { InputRef } from './command.ts';
import { looksLikeCredential, readsPlainly } from './looks-like-credential.ts';
import type { Vault } from './ports.ts';
import type { RunState } from './run-state.ts';

export interface GivenSecret {
  key: string;
  value: string;
  /** It was asked for as a secret, or has the shape of a credential; otherwise it only does not read plainly. */
  secret: boolean;
}

/**
 * What no text of this run may show: every value that was given for a secret input, also one that was replaced since, and whatever
 * does not read as plain words. Those are there to be used, in files and in texts. Empty once the run's values are forgotten.
 */
export async function openSecrets(vault: Vault, state: RunState): Promise<GivenSecret[]> {
  const asked = state.escalations.flatMap(({ inputs }) => inputs);
  const secretKeys = new Set(asked.filter(({ secret }) => secret).map(({ key }) => key));
  const opened = new Map<string, GivenSecret>();
  for (const given of givenAtOnce(state)) {
    const refs = Object.values(given).flatMap(({ ref, actions_secret }) => (actions_secret ? [] : [ref]));
    if (refs.length === 0) continue;
    for (const [key, value] of Object.entries(await vault.open(state.run, refs))) {
      const secret = secretKeys.has(key) || looksLikeCredential(value);
      if (secret || !readsPlainly(value)) opened.set(`${key}=${value}`, { key, value, secret });
    }
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
