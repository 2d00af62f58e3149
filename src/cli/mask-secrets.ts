import type { Desk } from '../core/desk.ts';
import type { Link, Vault } from '../core/ports.ts';
import type { RunState } from '../core/run-state.ts';

const MASK = '•••';
/** Shorter ones would be found in every other word. */
const MIN_LENGTH = 6;
/** Statuses, kinds and ids: a claim without them would not be understood any more. */
const IDENTIFIER = /^[a-z_]{1,40}$/;

/** An agent may print a secret it was given: what its job says and shows goes through here first (P-4). */
export interface SecretMask {
  wrap(link: Link): Link;
  clean<T>(value: T): T;
}

export function createSecretMask(desk: Desk, run: string, vault: Vault): SecretMask {
  const values = new Map<string, string>();
  let secrets: string[] = [];

  async function learn(state: RunState): Promise<void> {
    const fresh = secretRefs(state).filter((ref) => !values.has(ref));
    for (const ref of fresh) {
      const [value = ''] = Object.values(await vault.open(run, [ref]));
      values.set(ref, value);
    }
    if (fresh.length === 0) return;
    // The longest first: one secret may be the beginning of another.
    secrets = [...values.values()]
      .filter((value) => value.length >= MIN_LENGTH)
      .sort((one, other) => other.length - one.length);
  }
  function clean<T>(value: T): T {
    return secrets.length === 0 ? value : (replaceDeep(value, secrets) as T);
  }
  return {
    clean,
    wrap: (link) => ({
      ...link,
      async report(envelope) {
        await learn(await desk.state(run));
        return link.report({ ...envelope, data: clean(envelope.data) });
      },
    }),
  };
}

function secretRefs({ escalations, pending, given }: RunState): string[] {
  return escalations.flatMap(({ id, inputs, resolution }) => {
    const answered = id === pending ? given : (resolution?.inputs ?? {});
    return inputs.flatMap(({ key, secret }) => (secret && answered[key] ? [answered[key].ref] : []));
  });
}

function replaceDeep(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') {
    if (IDENTIFIER.test(value)) return value;
    return secrets.reduce((text, secret) => text.replaceAll(secret, MASK), value);
  }
  if (Array.isArray(value)) return value.map((item) => replaceDeep(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceDeep(item, secrets)]));
}
