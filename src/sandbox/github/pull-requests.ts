import { type Gap, type Json, matchPath, refuse, type Upstream } from './gap.ts';

interface Pull extends Json {
  number: number;
  state: string;
  head: Json & { ref: string; sha: string };
}

/** A pull request follows its branch, there is one per branch, and its conversation says that it is one. */
export function createPullRequests(repository: string, upstream: Upstream): Gap {
  const numbers = new Set<number>();

  async function followBranch(pull: Pull): Promise<Pull> {
    if (pull.state !== 'open') return pull;
    const { status, body } = await upstream('GET', `${repository}/git/ref/heads/${pull.head.ref}`);
    if (status !== 200) return pull;
    const { sha } = (body as { object: { sha: string } }).object;
    return { ...pull, head: { ...pull.head, sha } };
  }

  return {
    async answer({ method, path, body }) {
      if (method !== 'POST' || !matchPath('/repos/:owner/:repo/pulls', path)) return undefined;
      const branch = String(body.head).split(':').at(-1) ?? '';
      // emulate would make a branch that is not there out of the default branch.
      const head = await upstream('GET', `${repository}/git/ref/heads/${branch}`);
      if (head.status !== 200) {
        return refuse(422, 'Validation Failed', [
          { resource: 'PullRequest', field: 'head', code: 'invalid' },
        ]);
      }
      const { body: open } = await upstream('GET', `${repository}/pulls?state=open&per_page=100`);
      if (!(open as Pull[]).some((pull) => pull.head.ref === branch)) return undefined;
      const message = `A pull request already exists for ${body.head}.`;
      return refuse(422, 'Validation Failed', [{ resource: 'PullRequest', code: 'custom', message }]);
    },

    async mend({ path }, answer) {
      const isList = matchPath('/repos/:owner/:repo/pulls', path);
      const isOne = matchPath('/repos/:owner/:repo/pulls/:number', path);
      if (answer.status >= 300 || !(isList || isOne)) return answer;
      if (Array.isArray(answer.body))
        return { ...answer, body: await Promise.all(answer.body.map(followBranch)) };
      const pull = await followBranch(answer.body as Pull);
      numbers.add(pull.number);
      return { ...answer, body: pull };
    },

    mendPayload(event, payload) {
      const issue = payload.issue as (Json & { number: number; html_url: string }) | undefined;
      if (event !== 'issue_comment' || !issue || !numbers.has(issue.number)) return payload;
      const html = issue.html_url.replace('/issues/', '/pull/');
      const links = { html_url: html, diff_url: `${html}.diff`, patch_url: `${html}.patch` };
      const url = String(issue.url).replace('/issues/', '/pulls/');
      return { ...payload, issue: { ...issue, pull_request: { url, ...links, merged_at: null } } };
    },
  };
}
