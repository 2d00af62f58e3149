import type { OctokitLike } from './client.ts';

/** People may change an issue or a pull request at any time, so what was read is trusted for this long. */
const TRUSTED_MS = 20_000;

const COMMIT = 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}';
/** Reads that are repeated within one job. Comments and pull requests are not among them: a box may be ticked, or a text added, between two reads. */
const REMEMBERED = new Set([COMMIT, 'GET /repos/{owner}/{repo}/issues/{issue_number}']);
/** Writes that change none of these in a way that counts. All others forget what was read. */
const HARMLESS =
  /^POST \S+\/(?:issues\/\{issue_number\}\/comments|reactions|git\/(?:blobs|trees|commits)|check-runs)$|^PATCH \S+\/(?:issues\/comments\/\{comment_id\}|check-runs\/\{check_run_id\})$/;
/** Writes to branches and pull requests, after which an issue is the same. */
const OF_PULLS = /^(?:POST|PATCH) \/repos\/\{owner\}\/\{repo\}\/(?:git\/refs|pulls)\b/;
const HARMLESS_MUTATION = /^\s*mutation\b[^{]*\{\s*(?:minimizeComment|addReaction)\(/;

/**
 * The same client, which asks once for what several parts of a job want to know. A workflow's token has few calls per hour. Our own
 * writes and time forget what was read.
 */
export function rememberReads(octokit: OctokitLike, now: () => number): OctokitLike {
  const known = new Map<string, { answer: Promise<unknown>; until: number }>();
  const forget = () => {
    for (const [key, { until }] of known) if (until !== Number.POSITIVE_INFINITY) known.delete(key);
  };
  const request = (route: string, options: Record<string, unknown>): Promise<unknown> => {
    if (!route.startsWith('GET ')) {
      if (!HARMLESS.test(route) && !OF_PULLS.test(route)) forget();
      return octokit.request(route, options);
    }
    if (!REMEMBERED.has(route)) return octokit.request(route, options);
    const { commit_sha, issue_number } = options;
    const key = JSON.stringify([route, commit_sha, issue_number]);
    const found = known.get(key);
    if (found && now() < found.until) return found.answer;
    const answer = octokit.request(route, options);
    // A commit never changes.
    known.set(key, { answer, until: route === COMMIT ? Number.POSITIVE_INFINITY : now() + TRUSTED_MS });
    answer.catch(() => known.delete(key));
    return answer;
  };
  const graphql = (query: string, variables: Record<string, unknown>): Promise<unknown> => {
    if (/^\s*mutation\b/.test(query) && !HARMLESS_MUTATION.test(query)) forget();
    return octokit.graphql(query, variables);
  };
  return { request, graphql } as unknown as OctokitLike;
}
