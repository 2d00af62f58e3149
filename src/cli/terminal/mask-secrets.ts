import type { Desk } from '../../core/decide/desk.ts';
import type { Link, Vault } from '../../core/ports/ports.ts';
import { hideInEnvelope } from '../../core/secrets/hide-in-claims.ts';
import { createSecretHider } from '../../core/secrets/hide-secrets.ts';
import { openSecrets } from '../../core/secrets/secrets-of-run.ts';
import { RULES } from '../../guards/rules.ts';

/** An agent may print a secret it was given: what its job says and shows goes through here first (P-4). */
interface SecretMask {
  wrap(link: Link): Link;
  clean<T>(value: T): T;
}

export function createSecretMask(desk: Desk, run: string, vault: Vault): SecretMask {
  let values: string[] = [];
  let hider = createSecretHider(values);

  async function learn(): Promise<void> {
    const known = await openSecrets(vault, await desk.state(run));
    // A run that has just ended forgets its values; what is still shown of it must not show them.
    if (known.length < values.length) return;
    values = known.map(({ value }) => value);
    hider = createSecretHider(values);
  }
  return {
    clean: (value) => hider.hideDeep(value),
    wrap: (link) => ({
      ...link,
      async report(envelope) {
        await learn();
        return link.report(hideInEnvelope(envelope, values, RULES));
      },
    }),
  };
}
