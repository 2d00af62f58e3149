import type { Octokit } from '@octokit/rest';

/** The cause of Octokit's error for a write that was held back. */
export class HeldBackError extends Error {
  override name = 'HeldBackError';
}

/**
 * Octokit's own `fetch`, for writes that somebody may have to hold back. Octokit lets one write of an installation out in a second,
 * and one comment in three, so a write may leave long after it was asked for. `mayWrite` is asked just then, and throws if it may not.
 */
export function createGuardedFetch(
  { request }: Pick<Octokit, 'request'>,
  mayWrite: () => void,
): typeof fetch {
  const send: typeof fetch = request.endpoint.DEFAULTS.request?.fetch ?? fetch;
  return async (input, init) => {
    try {
      mayWrite();
    } catch (cause) {
      throw new HeldBackError((cause as Error).message, { cause });
    }
    return send(input, init);
  };
}
