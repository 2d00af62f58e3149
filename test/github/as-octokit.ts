import type { OctokitLike } from '../../src/github/client/client.ts';

/** A client of GitHub whose calls are answered by a function. */
export function asOctokit(request: (route: string, parameters: never) => Promise<unknown>): OctokitLike {
  const endpoint = { DEFAULTS: { baseUrl: 'https://api.github.com' } };
  return { request: Object.assign(request, { endpoint }) } as unknown as OctokitLike;
}
