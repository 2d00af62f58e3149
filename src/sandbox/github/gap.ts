import type { TokenPermissions } from '../actions/token-permissions.ts';

export type Json = Record<string, unknown>;

/** The caller: a person, the App's installation, a job by its GITHUB_TOKEN, or the App itself by its signed token. */
export type Caller =
  | { kind: 'person'; login: string }
  | { kind: 'installation'; login: string }
  | { kind: 'job'; login: string; permissions: TokenPermissions; run: number; job: string }
  | { kind: 'app' };

export interface Call {
  method: string;
  /** The path without the query and without `/api/v3`. */
  path: string;
  query: URLSearchParams;
  body: Json;
  caller: Caller;
}

export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The newest edit of a text. */
export interface Edit {
  at: string;
  by: { login: string; bot: boolean };
}

/**
 * One difference between `emulate` and GitHub. The answers in these files are our own code. The tests compare them with
 * GitHub's descriptions, but they prove nothing about GitHub itself.
 */
export interface Gap {
  /** Answers instead of emulate. */
  answer?(call: Call): Promise<Answer | undefined> | Answer | undefined;
  /** Changes emulate's answer into GitHub's. */
  fixAnswer?(call: Call, answer: Answer): Promise<Answer> | Answer;
  /** The same for a webhook. */
  fixPayload?(event: string, payload: Json): Promise<Json> | Json;
}

/** Calls emulate as its owner, for facts that a gap has to look up. */
export type Upstream = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** An account. emulate knows the App's own account only after its first write. */
export async function describeAccount(upstream: Upstream, login: string): Promise<Json | undefined> {
  const { status, body } = await upstream('GET', `/users/${encodeURIComponent(login)}`);
  if (status === 200) return body as Json;
  if (!login.endsWith('[bot]')) return undefined;
  const url = `https://api.github.com/users/${encodeURIComponent(login)}`;
  const urls = [
    'followers',
    'following',
    'gists',
    'starred',
    'subscriptions',
    'organizations',
    'repos',
    'events',
    'received_events',
  ];
  return {
    login,
    id: 1_000_001,
    node_id: 'BOT_1000001',
    type: 'Bot',
    site_admin: false,
    avatar_url: '',
    gravatar_id: '',
    url,
    html_url: url,
    ...Object.fromEntries(urls.map((name) => [`${name}_url`, `${url}/${name}`])),
  };
}

export function refuse(status: number, message: string, errors?: unknown[]): Answer {
  const body = { message, documentation_url: 'https://docs.github.com/rest', status: String(status) };
  return { status, body: errors ? { ...body, errors } : body };
}

/**
 * The segments of a path that a pattern such as `/repos/:owner/:repo/issues/:number` names. The last one may be
 * `*rest`.
 */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    if (part.startsWith('*')) {
      found[part.slice(1)] = given.slice(index).map(decodeURIComponent).join('/');
      return given.length > index ? found : undefined;
    }
    const value = given[index];
    if (value === undefined) return undefined;
    if (part.startsWith(':')) found[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return undefined;
  }
  return given.length === wanted.length ? found : undefined;
}
