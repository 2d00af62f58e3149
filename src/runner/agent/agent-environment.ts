import { readFileSync, statSync } from 'node:fs';
import type { Agent } from '../../agents/agent.ts';

const MAX_CONFIG_BYTES = 1024 * 1024;

/** Variables that ordinary programs need: paths, locale, proxy and certificates. */
const EVERY_PROGRAM = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_*',
  'TZ',
  'TERM',
  'TMPDIR',
  'CI',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
];

/**
 * The environment for an agent. An agent that lists its variables gets only those, so that it sees no GitHub token, no App
 * secret and no key of another model. `given` are the names of Actions secrets that a person provided for it.
 */
export function environmentFor(
  agent: Pick<Agent, 'environment' | 'chooseVariables'>,
  env: Record<string, string>,
  given: readonly string[] = [],
): Record<string, string> {
  if (!agent.environment) return env;
  const own = agent.chooseVariables?.(env, readConfigFile) ?? agent.environment;
  const allowed = [...EVERY_PROGRAM, ...own, ...given];
  const isAllowed = (name: string) =>
    allowed.some((entry) => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry));
  return Object.fromEntries(Object.entries(env).filter(([name]) => isAllowed(name)));
}

/** Undefined if the file cannot be read. The agent itself will report what is wrong with it. */
function readConfigFile(path: string): string | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= MAX_CONFIG_BYTES ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** The names of the agent's key variables if none of them is set. Any one of them would be enough. */
export function missingKeys(
  { keys = [] }: Agent,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] | undefined {
  return keys.length > 0 && !keys.some((key) => env[key]) ? keys : undefined;
}
