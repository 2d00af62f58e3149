import { Octokit } from '@octokit/rest';
import type { OctokitLike } from './client.ts';
import { createTimedFetch } from './timed-fetch.ts';

const silent = () => undefined;

/** Signed in by a token: a person's, an installation's, or the App's own signed one. Nothing is tried twice. */
export function openOctokit(options: { apiUrl: string; token: string; timeoutMs?: number }): OctokitLike {
  return new Octokit({
    auth: options.token,
    baseUrl: options.apiUrl,
    userAgent: 'autobuild',
    log: { debug: silent, info: silent, warn: silent, error: silent },
    request: { fetch: createTimedFetch(options.timeoutMs) },
  });
}
