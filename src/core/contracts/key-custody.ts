import * as z from 'zod';

/**
 * Who has the key of the agent's model during a turn. `held`: the runner alone, and the agent reaches its model through the key
 * proxy. The others say why the agent has it.
 */
export const KeyCustody = z.enum([
  'held',
  'login',
  'cloud',
  'github_token',
  'own_settings',
  'address',
  'granted',
]);
export type KeyCustody = z.infer<typeof KeyCustody>;

const REASONS: Record<Exclude<KeyCustody, 'held'>, string> = {
  login: 'it is a login',
  cloud: 'it is the key of a cloud account',
  github_token: 'it is a GitHub token',
  own_settings: "it is in the agent's own settings",
  address: "the model's address contains a login or a query, or is invalid",
  granted: 'it was given to the agent',
};

/** One line for log, status and terminal. */
export function keyWords(custody: KeyCustody): string {
  if (custody === 'held') return "the model's key is hidden from the agent";
  return `the agent has the model's key (${REASONS[custody]})`;
}
