import type { KeyCustody } from '../core/contracts/key-custody.ts';

/** How the requests of an agent reach its model, so that the runner can add the key to them. */
export interface KeyRoute {
  /** The variables with the key, and the header in which the agent sends it. The first of a header has the key that counts. */
  readonly keys: readonly { readonly variable: string; readonly header: KeyHeader }[];
  /** The address that the agent would use without the proxy. */
  readonly upstream: string;
  /** The variable for the address. Absent if the agent takes it from `TurnSpec.modelAddress`. */
  readonly address?: string;
  /** Paths below the upstream. An entry that ends with `/` stands for everything below it. */
  readonly paths: readonly string[];
}

/** `authorization` is sent as `Bearer` with the key. */
export type KeyHeader = 'x-api-key' | 'authorization' | 'x-goog-api-key';

/** The reasons why the agent has its key itself. */
export type KeyReason = Exclude<KeyCustody, 'held'>;

/** Undefined if the agent has no key. */
export type ChooseKeyRoute = (
  env: Readonly<Record<string, string | undefined>>,
) => KeyRoute | KeyReason | undefined;
