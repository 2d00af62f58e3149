import { hkdfSync } from 'node:crypto';
import { userError } from '../../core/error-catalogue.ts';

const KEY_BYTES = 32;
/** The sealed state of a public repository is public, so its key must not be guessable. */
const LEAST_KEY_CHARS = 32;

export interface RefKeys {
  /** Seals the state. A build never has it, unless it is derived. Several are separated by commas, the first one seals. */
  state: string;
  /** Seals what a build may read: the brief and the checkpoint. A build makes it from the key of its model. */
  job: string;
  /** True if the state's key comes from the model's key, so that an agent could make it, too. */
  isDerived: boolean;
}

/**
 * The keys of a desk without a server. Each is bound to its use and to the repository, so that one secret can serve several
 * repositories.
 */
export function deriveKeys({
  stateKey = '',
  modelKey = '',
  repository,
}: {
  stateKey?: string;
  modelKey?: string;
  /** owner/name */
  repository: string;
}): RefKeys {
  const model = modelKey.trim();
  if (model === '') throw userError('model_key_missing');
  const place = repository.toLowerCase();
  const given = stateKey
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  if (given.some((text) => text.length < LEAST_KEY_CHARS))
    throw userError('state_key_weak', { least: LEAST_KEY_CHARS });
  const secrets = given.length > 0 ? given : [model];
  return {
    state: secrets.map((secret) => deriveKey(secret, `state of ${place}`)).join(','),
    job: deriveJobKey({ modelKey: model, repository }),
    isDerived: given.length === 0,
  };
}

/** The one key that a build can make. */
export function deriveJobKey({ modelKey, repository }: { modelKey: string; repository: string }): string {
  return deriveKey(modelKey.trim(), `job of ${repository.toLowerCase()}`);
}

function deriveKey(secret: string, use: string): string {
  return Buffer.from(hkdfSync('sha256', secret, 'autobuild', use, KEY_BYTES)).toString('base64');
}
