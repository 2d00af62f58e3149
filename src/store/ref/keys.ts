import { hkdfSync } from 'node:crypto';
import { bindingsOf, type NamedRepository } from '../../core/bindings-of.ts';
import { userError } from '../../core/error-catalogue.ts';

const KEY_BYTES = 32;
/** The sealed state of a public repository is public, so its key must not be guessable. */
const LEAST_KEY_CHARS = 32;

export interface RefKeys {
  /** Seals the state. A build never has it, unless it is derived. Several are separated by commas, the first one seals. */
  state: string;
  /**
   * Opens what was sealed while there was no secret for the state, so that one can be set while runs are open. It seals nothing, and
   * makes no codes of comments.
   */
  former?: string;
  /** Seals the brief of a build, which makes it from the key of its model. The desk writes it moments before. */
  brief: string;
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
  repository: NamedRepository;
}): RefKeys {
  const model = modelKey.trim();
  if (model === '') throw userError('model_key_missing');
  const given = stateKey
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  if (given.some((text) => text.length < LEAST_KEY_CHARS))
    throw userError('state_key_weak', { least: LEAST_KEY_CHARS });
  const keysOf = (secrets: string[]) =>
    bindingsOf(repository)
      .flatMap((binding) => secrets.map((secret) => deriveKey(secret, `state of ${binding}`)))
      .join(',');
  return {
    state: keysOf(given.length > 0 ? given : [model]),
    ...(given.length > 0 && { former: keysOf([model]) }),
    brief: deriveBriefKey({ modelKey: model, repository }),
    isDerived: given.length === 0,
  };
}

/** The keys with which to open something that may have been sealed before there was a secret for the state. */
export function openingKeys({ state, former }: Pick<RefKeys, 'state' | 'former'>): Pick<RefKeys, 'state'> {
  return { state: former === undefined ? state : `${state},${former}` };
}

/** The one key that a build can make. The desk of the same Actions run, and thus of the same version, has written its brief. */
export function deriveBriefKey({
  modelKey,
  repository,
}: {
  modelKey: string;
  repository: NamedRepository;
}): string {
  return deriveKey(modelKey.trim(), `job of ${bindingsOf(repository)[0]}`);
}

/** Seals the conversations of an issue. A build gets it with its brief, and a later one needs it, whatever the model's key is then. */
export function checkpointKey({ state }: Pick<RefKeys, 'state'>, issue: number): string {
  return fromEach(state, `checkpoint of ${issue}`);
}

/**
 * Seals what one job leaves. It is made for the job's operation, so that the desk need not keep it and no other job has it. The
 * model's key may change while the job works.
 */
export function workKey({ state }: Pick<RefKeys, 'state'>, operation: string): string {
  return fromEach(state, `work of ${operation}`);
}

/** The first one seals, as with the state's. Nothing about the state's key can be learned from what is made of it. */
function fromEach(state: string, use: string): string {
  return state
    .split(',')
    .map((key) => deriveKey(key, use))
    .join(',');
}

function deriveKey(secret: string, use: string): string {
  return Buffer.from(hkdfSync('sha256', secret, 'autobuild', use, KEY_BYTES)).toString('base64');
}
