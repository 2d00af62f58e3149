import type { Agent } from '../../agents/agent.ts';
import { EVERY_PROGRAM, isAmong } from '../../core/variable-name.ts';
import { findLogin } from './agent-login.ts';
import { readSmallFile } from './read-small-file.ts';

/**
 * The environment for an agent. An agent that lists its variables gets only those, so that it sees no GitHub token, no App
 * secret and no key of another model. `given` are the names of Actions secrets that a person provided for it.
 */
export function environmentFor(
  agent: Pick<Agent, 'environment' | 'chooseVariables' | 'keys' | 'login'>,
  env: Record<string, string>,
  given: readonly string[] = [],
): Record<string, string> {
  if (!agent.environment) return env;
  const own = agent.chooseVariables?.(env, readSmallFile) ?? agent.environment;
  const allowed = [...EVERY_PROGRAM, ...own, ...given];
  const passed = Object.fromEntries(Object.entries(env).filter(([name]) => isAmong(allowed, name)));
  const login = hasKey(agent, env) ? undefined : findLogin(agent, env);
  return login ? { ...passed, [login.variable]: login.token } : passed;
}

/** For a program that only tells its version. */
export function withoutKeys(env: Record<string, string>): Record<string, string> {
  return environmentFor({ environment: [] }, env);
}

function hasKey(
  { keys = [] }: Pick<Agent, 'keys'>,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return keys.some((key) => env[key]);
}

/** The names of the agent's key variables if none of them is set and it has no login. Any one of them would be enough. */
export function missingKeys(
  agent: Pick<Agent, 'keys' | 'login'>,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] | undefined {
  const { keys = [] } = agent;
  return keys.length === 0 || hasKey(agent, env) || findLogin(agent, env) ? undefined : keys;
}
