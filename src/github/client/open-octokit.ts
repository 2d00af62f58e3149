import { Octokit } from '@octokit/rest';
import type { OctokitLike } from './client.ts';
import { createTimedFetch } from './timed-fetch.ts';

const silent = () => undefined;

/** Opens a client with a token of a person or an installation, with the App's JWT, or with no credentials. It never retries. */
export function openOctokit(options: { apiUrl: string; token?: string; timeoutMs?: number }): OctokitLike {
  return new Octokit({
    auth: options.token,
    baseUrl: options.apiUrl,
    userAgent: 'autobuild',
    log: { debug: silent, info: silent, warn: silent, error: silent },
    request: { fetch: createTimedFetch(options.timeoutMs) },
  });
}
