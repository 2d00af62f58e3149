import type { OctokitLike } from './client.ts';

/** People may change an issue or a pull request at any time, so what was read is trusted for this long. */
const TRUSTED_MS = 20_000;

const REF = 'GET /repos/{owner}/{repo}/git/ref/{ref}';
const COMMIT = 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}';
/** Reads that are repeated within one job. Comments and pull requests are not among them: a box may be ticked, or a text added, between two reads. */
const REMEMBERED = new Set([COMMIT, 'GET /repos/{owner}/{repo}/issues/{issue_number}']);
/** Writes that change none of these in a way that counts. All others forget what was read. */
const HARMLESS =
  /^POST \S+\/(?:issues\/\{issue_number\}\/comments|reactions|git\/(?:blobs|trees|commits)|check-runs)$|^PATCH \S+\/(?:issues\/comments\/\{comment_id\}|check-runs\/\{check_run_id\})$/;
const GRAPHQL = /^POST \S*\/graphql$/;
/** Writes to branches and pull requests, after which an issue is the same. */
const OF_PULLS = /^(?:POST|PATCH) \/repos\/\{owner\}\/\{repo\}\/(?:git\/refs|pulls)\b/;
const HARMLESS_MUTATION =
  /^\s*mutation\b[^{]*\{\s*(?:minimizeComment|addReaction|updatePullRequest|markPullRequestReadyForReview)\(/;

/** The answer to a read, if another call has told it already. */
export type Tell = (route: string, options: Record<string, unknown>, data: unknown) => void;

/**
 * The same client, which asks once for what several parts of a job want to know, and not at all for what it was told. A
 * workflow's token has few calls per hour. Our own writes and time forget what was read.
 */
export function rememberReads(octokit: OctokitLike, now: () => number): { octokit: OctokitLike; tell: Tell } {
  const known = new Map<string, { answer: Promise<unknown>; until: number }>();
  const keyOf = (route: string, { commit_sha, issue_number, ref }: Record<string, unknown>) =>
    JSON.stringify([route, commit_sha, issue_number, ref]);
  const forget = (isForgotten = (_key: string) => true) => {
    for (const [key, { until }] of known)
      if (until !== Number.POSITIVE_INFINITY && isForgotten(key)) known.delete(key);
  };
  const forgetAfter = (route: string, { query }: Record<string, unknown>) => {
    if (GRAPHQL.test(route)) {
      if (/^\s*mutation\b/.test(String(query)) && !HARMLESS_MUTATION.test(String(query))) forget();
    } else if (OF_PULLS.test(route)) forget((key) => key.includes(REF));
    else if (!HARMLESS.test(route)) forget();
  };
  const request = (route: string, options: Record<string, unknown>): Promise<unknown> => {
    if (!route.startsWith('GET ')) {
      forgetAfter(route, options);
      return octokit.request(route, options);
    }
    const key = keyOf(route, options);
    const found = known.get(key);
    if (found && now() < found.until) return found.answer;
    const answer = octokit.request(route, options);
    if (!REMEMBERED.has(route)) return answer;
    // A commit never changes.
    known.set(key, { answer, until: route === COMMIT ? Number.POSITIVE_INFINITY : now() + TRUSTED_MS });
    answer.catch(() => known.delete(key));
    return answer;
  };
  const tell: Tell = (route, options, data) => {
    const answer = Promise.resolve({ status: 200, headers: {}, data });
    known.set(keyOf(route, options), { answer, until: now() + TRUSTED_MS });
  };
  const { endpoint } = octokit.request;
  return { octokit: { request: Object.assign(request, { endpoint }) } as unknown as OctokitLike, tell };
}
