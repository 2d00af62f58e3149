import { hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

export interface RefKeys {
  /** Seals the state. A build never has it, unless it is derived. */
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
  stateKey,
  modelKey,
  repository,
}: {
  stateKey?: string;
  modelKey?: string;
  repository: string;
}): RefKeys {
  const [state, model] = [stateKey?.trim(), modelKey?.trim()];
  if (!model)
    throw new Error(
      "There is no key of a model, so the job's key cannot be made. Pass the secret `model_key`.",
    );
  return {
    state: deriveKey(state || model, `state of ${repository.toLowerCase()}`),
    job: deriveKey(model, `job of ${repository.toLowerCase()}`),
    isDerived: !state,
  };
}

function deriveKey(secret: string, use: string): string {
  return Buffer.from(hkdfSync('sha256', secret, 'autobuild', use, KEY_BYTES)).toString('base64');
}
