import type { Octokit } from '@octokit/rest';

/** GitHub Enterprise Server has REST below this path, and GraphQL beside it. */
const REST_PATH = /\/api\/v3\/?$/;

interface GraphqlAnswer<Data> {
  headers: Record<string, string | number | undefined>;
  data: Data;
}

/**
 * Sends a GraphQL document. `octokit.graphql` does the same, but returns no headers, which alone tell what is left of GraphQL's
 * limit. Throws if GitHub reports errors in the body; the error has them, the data beside them, and the headers.
 */
export async function sendGraphql<Data>(
  octokit: Pick<Octokit, 'request'>,
  options: {
    query: string;
    variables: Record<string, unknown>;
    request: { retries?: number; fetch?: typeof fetch };
  },
): Promise<GraphqlAnswer<Data>> {
  const { baseUrl } = octokit.request.endpoint.DEFAULTS;
  const url = REST_PATH.test(baseUrl) ? baseUrl.replace(REST_PATH, '/api/graphql') : '/graphql';
  const { headers, data: body } = await octokit.request(`POST ${url}`, { ...options });
  const { errors, data } = body;
  if (errors)
    throw Object.assign(new Error('GraphQL reports errors'), { headers, response: body, errors, data });
  return { headers, data };
}
