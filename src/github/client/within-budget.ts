import type { Budget, Resource } from './budget.ts';
import { toGitHubError } from './errors.ts';

type Headers = Record<string, string | number | undefined>;

/**
 * Makes a call unless GitHub has asked this installation to wait, and remembers what the answer says about its limits. Every
 * failure is a `GitHubError`.
 */
export async function withinBudget<Answer>(
  budget: Budget | undefined,
  { resource, route }: { resource: Resource; route: string },
  call: () => Promise<Answer>,
): Promise<Answer> {
  budget?.refuseIfSpent(resource);
  try {
    const answer = await call();
    budget?.note(resource, (answer as { headers?: Headers } | undefined)?.headers);
    return answer;
  } catch (error) {
    const failure = toGitHubError(error, route);
    const headers = headersOf(error);
    budget?.note(resource, headers);
    if (failure.retryAfter !== undefined)
      budget?.stop(isUsedUp(headers) ? resource : 'all', failure.retryAfter);
    throw failure;
  }
}

/** An error of GraphQL has the headers itself, because its `response` is the body. */
export function headersOf(error: unknown): Headers | undefined {
  const { headers, response } = error as { headers?: Headers; response?: { headers?: Headers } };
  return headers ?? response?.headers;
}

/** The calls of an hour are counted for REST and GraphQL apart. Any other limit is one for both. */
function isUsedUp(headers: Headers = {}): boolean {
  return headers['retry-after'] === undefined && String(headers['x-ratelimit-remaining']) === '0';
}
