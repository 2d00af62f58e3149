import type { Agent } from '../agents/agent.ts';

/** What any program needs to run at all. */
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
 * An agent that names what it needs is given that and no more: no GitHub token, no App secret, no other model's key. `given` are
 * the Actions secrets a person named for it.
 */
export function environmentFor(
  agent: Agent,
  env: Record<string, string>,
  given: readonly string[] = [],
): Record<string, string> {
  if (!agent.environment) return env;
  const allowed = [...EVERY_PROGRAM, ...agent.environment, ...given];
  const isAllowed = (name: string) =>
    allowed.some((entry) => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry));
  return Object.fromEntries(Object.entries(env).filter(([name]) => isAllowed(name)));
}
