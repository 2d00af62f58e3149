import type { Octokit } from '@octokit/rest';
import type { Endpoints } from '@octokit/types';
import { GitHubError } from '../../core/ports/github-port.ts';
import type { Budget, Resource } from './budget.ts';
import { type FieldFailure, readFieldFailures } from './errors.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { sendGraphql } from './send-graphql.ts';
import { headersOf, withinBudget } from './within-budget.ts';

/** The method of Octokit that we use. The clients of Probot and @octokit/rest both have it. */
export type OctokitLike = Pick<Octokit, 'request'>;

export interface Repository {
  owner: string;
  repo: string;
  /** Our App's id, to recognise our own check runs. Absent: the token is of a workflow, whose App makes checks for all. */
  appId?: number;
  /** The rate limit of the installation that the calls are made for. */
  budget?: Budget;
  /** Asked just before a write leaves. Throws to hold it back. */
  mayWrite?(): void;
}

type Parameters<Route extends keyof Endpoints> = Omit<Endpoints[Route]['parameters'], 'owner' | 'repo'>;

/** API calls for one repository. Every failure is a `GitHubError`. */
export interface Client extends Repository {
  request<Route extends keyof Endpoints>(
    route: Route,
    parameters: Parameters<Route>,
    headers?: Record<string, string>,
  ): Promise<Endpoints[Route]['response']>;
  /** Undefined if the response would be the one with this ETag. GitHub does not count such a call. */
  requestIfChanged<Route extends keyof Endpoints>(
    route: Route,
    parameters: Parameters<Route>,
    etag: string | undefined,
  ): Promise<Endpoints[Route]['response'] | undefined>;
  graphql<Answer>(query: string, variables: Variables): Promise<Answer>;
  /**
   * Several changes in one document, each a field. Returns the fields whose node is gone, or that GitHub refuses by themselves.
   * Throws if one fails for another reason; those before and after it may be made.
   */
  graphqlEach(document: string, variables: Variables): Promise<FieldFailure[]>;
}

type Variables = Record<string, string | string[] | boolean | number | undefined>;

/** Pinned, because later versions drop fields that we send. */
const API_VERSION = { 'x-github-api-version': '2022-11-28' };

/**
 * Octokit as the server opens it repeats every method on a 5xx. A POST whose response was lost may have succeeded, so callers
 * retry it after checking.
 */
const NEVER_TWICE = { retries: 0 };

export function createClient(octokit: OctokitLike, repository: Repository): Client {
  const { owner, repo, budget, mayWrite } = repository;
  const guarded = mayWrite && { fetch: createGuardedFetch(octokit, mayWrite) };
  const within = <Answer>(resource: Resource, route: string, call: () => Promise<Answer>) =>
    withinBudget(budget, { resource, route }, call);
  const client: Client = {
    ...repository,
    async request(route, parameters, headers) {
      const options = {
        ...parameters,
        owner,
        repo,
        headers: { ...API_VERSION, ...headers },
        ...(!route.startsWith('GET ') && {
          request: { ...guarded, ...(route.startsWith('POST ') && NEVER_TWICE) },
        }),
      };
      const response = await within('core', route, () => octokit.request(route as string, options));
      refuseHalfAnswer(response, route);
      return response as Endpoints[typeof route]['response'];
    },
    requestIfChanged: (route, parameters, etag) =>
      client
        .request(route, parameters, etag === undefined ? {} : { 'if-none-match': etag })
        .catch((error: unknown) => {
          if (isStatus(error, 304)) return undefined;
          throw error;
        }),
    async graphql(query, variables) {
      const request = /^\s*mutation\b/.test(query) ? { ...guarded, ...NEVER_TWICE } : {};
      const { data } = await within('graphql', 'GraphQL', () =>
        sendGraphql<never>(octokit, { query, variables, request }),
      );
      return data;
    },
    async graphqlEach(query, variables) {
      const { failed } = await within('graphql', 'GraphQL', async () => {
        try {
          const request = { ...guarded, ...NEVER_TWICE };
          const { headers } = await sendGraphql(octokit, { query, variables, request });
          return { headers, failed: [] };
        } catch (error) {
          const failed = readFieldFailures(error, 'GraphQL');
          if (!failed) throw error;
          const worst = failed.find((one) => one.error.status !== 404 && !isRefusedAlone(one.error));
          if (worst) throw worst.error;
          return { headers: headersOf(error), failed };
        }
      });
      return failed;
    },
  };
  return client;
}

/** Octokit returns a body it could not parse as text, and a string can be iterated like a list. */
export function refuseHalfAnswer(response: { status: number; data: unknown }, route: string): void {
  const empty = response.status === 204 || response.data === undefined;
  if (empty || (typeof response.data === 'object' && response.data !== null)) return;
  throw new GitHubError(`GitHub's answer to ${route} is not JSON, or was cut off. Try again.`, {
    status: 502,
  });
}

/** Undefined on 404, or on 410 after a deletion. */
export async function orUndefined<Value>(call: Promise<Value>): Promise<Value | undefined> {
  return call.catch((error: unknown) => {
    if (isStatus(error, 404, 410)) return undefined;
    throw error;
  });
}

export function isStatus(error: unknown, ...statuses: number[]): error is GitHubError {
  return error instanceof GitHubError && statuses.includes(error.status);
}

/** GitHub refuses this one change, and would refuse it again. A limit passes, and a missing permission is for a person to grant. */
export function isRefusedAlone(error: unknown): error is GitHubError {
  return isStatus(error, 403, 422) && error.retryAfter === undefined && error.missingPermission === undefined;
}
