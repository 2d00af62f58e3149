import type { Desk } from '../../core/decide/desk.ts';
import type { Link, Vault } from '../../core/ports/ports.ts';
import { isCommonValue } from '../../core/secrets/common-value.ts';
import { hideInEnvelope } from '../../core/secrets/hide-in-claims.ts';
import { createSecretHider } from '../../core/secrets/hide-secrets.ts';
import { secretsInEnvironment } from '../../core/secrets/secrets-in-environment.ts';
import { openSecrets } from '../../core/secrets/secrets-of-run.ts';
import { RULES } from '../../guards/rules.ts';

/**
 * P-4: hides secrets in everything a job reports and shows, because an agent may print a secret it was given or finds in its
 * environment.
 */
interface SecretMask {
  wrap(link: Link): Link;
  clean<T>(value: T): T;
}

export function createSecretMask(
  desk: Desk,
  run: string,
  vault: Vault,
  env: Readonly<Record<string, string>>,
): SecretMask {
  // Common words stay, because they stand in texts by coincidence.
  const own = secretsInEnvironment(env).filter((value) => !isCommonValue(value));
  let given = 0;
  let values = own;
  let hider = createSecretHider(values);

  async function learn(): Promise<void> {
    const known = await openSecrets(vault, await desk.state(run));
    // A finished run deletes its values, but its remaining output must still hide them.
    if (known.length <= given) return;
    given = known.length;
    values = [...own, ...known.map(({ value }) => value)];
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
