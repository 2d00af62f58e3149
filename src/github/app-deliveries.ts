import type { AppDeliveries, FailedDelivery } from '../core/ports/github-port.ts';
import type { OctokitLike } from './client/client.ts';
import { toGitHubError } from './client/errors.ts';
import { PER_PAGE } from './client/pages.ts';

const MAX_PAGES = 30;

/** `asApp` returns a client that is authenticated as the App. */
export function createAppDeliveries(asApp: () => Promise<OctokitLike>): AppDeliveries {
  async function readPage(cursor: string | undefined) {
    const route = 'GET /app/hook/deliveries';
    // `cursor` is optional, but GitHub refuses an empty one.
    const options = { per_page: PER_PAGE, status: 'failure' as const, ...(cursor && { cursor }) };
    const octokit = await asApp();
    const { data, headers } = await octokit
      .request(route, options)
      .catch((error: unknown) => Promise.reject(toGitHubError(error, route)));
    return { items: data, next: readCursor(headers.link) };
  }

  return {
    async failedSince(since) {
      const failed: FailedDelivery[] = [];
      const from = Date.parse(since);
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const { items, next } = await readPage(cursor);
        // GitHub lists the newest first.
        const recent = items.filter(({ delivered_at }) => Date.parse(delivered_at) >= from);
        // A server that ignores the filter lists successful deliveries too.
        for (const { id, guid, delivered_at, status } of recent)
          if (status !== 'OK') failed.push({ id: String(id), guid, delivered_at });
        if (recent.length < items.length || next === undefined)
          return { failed: failed.reverse(), complete: true };
        cursor = next;
      }
      return { failed: failed.reverse(), complete: false };
    },

    async redeliver(id) {
      const route = 'POST /app/hook/deliveries/{delivery_id}/attempts';
      const octokit = await asApp();
      await octokit
        // Passed as a string, because the id may exceed the safe integers and is only used in the path.
        .request(route, { delivery_id: id as unknown as number, request: { retries: 0 } })
        .catch((error: unknown) => Promise.reject(toGitHubError(error, route)));
    },
  };
}

function readCursor(link: string | undefined): string | undefined {
  const next = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1];
  return next === undefined ? undefined : (new URL(next).searchParams.get('cursor') ?? undefined);
}
