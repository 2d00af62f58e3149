import type { OctokitLike } from './client/client.ts';

/** A new name of the App is known after this time at the latest. */
const KEEP_MS = 3_600_000;
const RETRY_MS = 60_000;

/**
 * The App's name in its bot's login. It is read in the background, so that nobody waits for it and an outage of GitHub stops
 * nothing: undefined until it is known. `open` returns a client that is authenticated as the App.
 */
export function createAppSlug(
  open: () => Promise<OctokitLike>,
  now: () => number,
  onFailure: (error: unknown) => void,
): () => string | undefined {
  let slug: string | undefined;
  let nextAt = Number.NEGATIVE_INFINITY;

  const read = async () => {
    const octokit = await open();
    const { data } = await octokit.request('GET /app');
    if (data?.slug === undefined) throw new Error('GitHub does not tell the name of the App.');
    slug = data.slug;
    nextAt = now() + KEEP_MS;
  };

  return () => {
    if (now() >= nextAt) {
      nextAt = now() + RETRY_MS;
      read().catch(onFailure);
    }
    return slug;
  };
}
