import type { Agent } from '../../agents/agent.ts';
import type { KeyReason, KeyRoute } from '../../agents/key-route.ts';
import type { KeyCustody } from '../../core/contracts/key-custody.ts';

type Environment = Record<string, string>;
type KeyedAgent = Pick<Agent, 'keys' | 'keyRoute'>;

/** Sent to a web proxy, a request to the key proxy would not arrive. */
const WEB_PROXIES = ['HTTP_PROXY', 'http_proxy'];
const PAST_WEB_PROXIES = ['NO_PROXY', 'no_proxy'];
const NOWHERE = { url: 'http://127.0.0.1:9', dummy: 'not-needed' };

export interface TurnKeys {
  /** The agent's environment, without the key where it can be held back. */
  env: Environment;
  /** Undefined if there is no key, or if the agent is no known CLI. */
  custody?: KeyCustody;
  /** The address of the model for this turn, where it is not the usual one. */
  modelAddress?: string;
  close(): Promise<void>;
}

/** Holds the agent's key back for one turn. `granted` are variables that a person gave to the agent by name. */
export async function openTurnKeys(
  agent: KeyedAgent,
  env: Environment,
  granted: readonly string[] = [],
): Promise<TurnKeys> {
  // Not loaded with everything else, because HTTP and TLS take long to load. Also not later than the first agent starts,
  // which could change the file.
  const { openKeyProxy } = await import('./key-proxy.ts');
  const route = routeOf(agent, env, granted);
  if (!route || typeof route === 'string') return { env, custody: route, close: async () => undefined };
  const { keys, paths } = route;
  const upstream = new URL(route.upstream);
  const values = keys.toReversed().map(({ variable, header }) => [header, env[variable] ?? ''] as const);
  const proxy = await openKeyProxy({ upstream, paths, keys: new Map(values), env });
  return {
    env: withoutKey(agent, env, { route, granted, ...proxy }),
    custody: 'held',
    modelAddress: proxy.url,
    close: proxy.close,
  };
}

/** The environment for a program of the agent that asks no model. */
export function keylessEnvironment(agent: KeyedAgent, env: Environment): Environment {
  const route = routeOf(agent, env, []);
  if (!route || typeof route === 'string') return env;
  return withoutKey(agent, env, { route, granted: [], ...NOWHERE });
}

function routeOf(
  { keyRoute }: KeyedAgent,
  env: Environment,
  granted: readonly string[],
): KeyRoute | KeyReason | undefined {
  const route = keyRoute?.(env);
  if (!route || typeof route === 'string') return route;
  if (route.keys.some(({ variable }) => granted.includes(variable))) return 'granted';
  return isRelayable(route.upstream) ? route : 'address';
}

/** An address with a login or a query has a secret of its own, which the agent would still see. */
function isRelayable(upstream: string): boolean {
  const url = URL.parse(upstream);
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}

function withoutKey(
  { keys = [] }: KeyedAgent,
  env: Environment,
  { route, granted, url, dummy }: { route: KeyRoute; granted: readonly string[]; url: string; dummy: string },
): Environment {
  // The CLI prefers the keys of the route, so it needs no other one.
  const kept = Object.entries(env).filter(([name]) => !keys.includes(name) || granted.includes(name));
  const unneeded = WEB_PROXIES.every((name) => !env[name]);
  const direct = unneeded
    ? []
    : PAST_WEB_PROXIES.map((name) => [name, [env[name], '127.0.0.1'].filter(Boolean).join(',')]);
  return {
    ...Object.fromEntries([...kept, ...direct]),
    ...Object.fromEntries(route.keys.map(({ variable }) => [variable, dummy])),
    ...(route.address ? { [route.address]: url } : {}),
  };
}
