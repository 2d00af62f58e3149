import { Octokit } from '@octokit/rest';
import nock from 'nock';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { createGitHub } from '../../src/github/github.ts';
import { deepOverride } from '../fixtures/deep-override.ts';
import { checkRequest, checkResponse, exampleAnswer } from './openapi-contract.ts';

const HOST = 'https://api.github.com';
export const REPOSITORY = { owner: 'alice', repo: 'demo', appId: 4242 };

export interface Sent {
  route: string;
  path: string;
  query: Record<string, string>;
  body: Record<string, unknown>;
  headers: Record<string, string>;
}

interface Reply {
  /** Values of the route's placeholders. */
  at?: Record<string, string | number>;
  /** Default: the route's own success. */
  status?: number;
  /** Changes to GitHub's example of that answer; the whole answer for a failure or a list. */
  answer?: unknown;
  headers?: Record<string, string>;
  /** Sent as it is, instead of an answer. */
  raw?: string;
  /** No answer at all. */
  broken?: Error;
  delayMs?: number;
}

const SUCCESS: Record<string, number> = { GET: 200, PATCH: 200, POST: 201, DELETE: 204 };

const FAILURE = { message: 'Not Found', documentation_url: 'https://docs.github.com/rest' };

/** Fields that GitHub's own examples lack and its schema requires. */
const COMPLETE: Record<string, unknown> = {
  'GET /repos/{owner}/{repo}/issues/{issue_number}': exampleItem('GET /repos/{owner}/{repo}/issues'),
  'GET /repos/{owner}/{repo}': { language: null, source: { language: null } },
  'GET /repos/{owner}/{repo}/collaborators/{username}/permission': { user: { role_name: 'admin' } },
  'POST /repos/{owner}/{repo}/pulls': { requested_teams: [] },
  'GET /repos/{owner}/{repo}/pulls/{pull_number}': { requested_teams: [] },
  'PATCH /repos/{owner}/{repo}/pulls/{pull_number}': { requested_teams: [] },
};

/** One entry of a list GitHub shows in its example. */
export function exampleItem(route: string, change: unknown = {}, list?: string): unknown {
  const answer = exampleAnswer(route, 200) as Record<string, unknown[]> & unknown[];
  const [item] = list === undefined ? answer : (answer[list] ?? []);
  return deepOverride(item, change);
}

/**
 * GitHub for one test file: no network, one reply per `on`, in order. A request nobody expects, a reply nobody
 * fetched, and a request or reply that GitHub's description does not allow each fail the test.
 */
export function useGitHubApi() {
  const sent: Sent[] = [];
  const wrong: string[] = [];
  const noteUnexpected = (request: Request) => {
    wrong.push(`nobody expects ${request.method} ${request.url}`);
  };

  /** What the test would fail for. Asking forgets it. */
  function takeProblems(): { wrong: string[]; unused: string[] } {
    const unused = nock.pendingMocks();
    nock.cleanAll();
    return { wrong: wrong.splice(0), unused };
  }

  // Importing nock is enough to take over the requests of this process, also those of the test files after this one.
  beforeAll(() => nock.isActive() || nock.activate());
  afterAll(() => nock.restore());

  beforeEach(() => {
    sent.length = 0;
    nock.disableNetConnect();
    nock.emitter.on('no match', noteUnexpected);
  });

  afterEach(() => {
    nock.emitter.off('no match', noteUnexpected);
    nock.abortPendingRequests();
    const problems = takeProblems();
    nock.enableNetConnect();
    expect(problems).toEqual({ wrong: [], unused: [] });
  });

  function answerOf(route: string, status: number, { answer }: Reply): unknown {
    if (Array.isArray(answer)) return answer;
    if (status >= 400) return { ...FAILURE, status: String(status), ...(answer ?? {}) };
    const example = exampleAnswer(route, status);
    return deepOverride(deepOverride(example, COMPLETE[route] ?? {}), answer ?? {});
  }

  /** Expects one call of the route. */
  function on(route: string, reply: Reply = {}): void {
    const [method = '', template = ''] = route.split(' ');
    const values: Record<string, string | number> = { ...REPOSITORY, ...reply.at };
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? name));
    const status = reply.status ?? SUCCESS[method] ?? 200;
    const scope = nock(HOST).intercept((uri) => uri.split('?')[0] === path, method);
    if (reply.broken) {
      scope.replyWithError(reply.broken);
      return;
    }
    scope.delay(reply.delayMs ?? 0).reply(async (request: Request) => {
      const url = new URL(request.url);
      const text = await request.text();
      const body = text === '' ? undefined : JSON.parse(text);
      const headers = Object.fromEntries(request.headers);
      sent.push({ route, path, query: Object.fromEntries(url.searchParams), body, headers });
      const isEmpty = status === 204 || status === 304;
      const answer = isEmpty ? undefined : answerOf(route, status, reply);
      const uri = `${url.pathname}${url.search}`;
      wrong.push(...checkRequest(method, uri, body), ...checkResponse(method, uri, status, answer));
      return [
        status,
        isEmpty ? undefined : (reply.raw ?? JSON.stringify(answer)),
        { 'content-type': 'application/json', ...reply.headers },
      ];
    });
  }

  /** GraphQL has no description here: the query's text is for the test to check. */
  function onGraphql(answer: { data?: unknown; errors?: unknown[] }, headers = {}): void {
    nock(HOST)
      .post('/graphql')
      .reply(async (request: Request) => {
        const body = JSON.parse(await request.text());
        sent.push({ route: 'GraphQL', path: '/graphql', query: {}, body, headers: {} });
        return [200, JSON.stringify(answer), { 'content-type': 'application/json', ...headers }];
      });
  }

  return { on, onGraphql, sent, takeProblems, github: createGitHub(createOctokit(), REPOSITORY) };
}

export function createOctokit(): Octokit {
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  return new Octokit({ auth: 'a-token', log });
}
