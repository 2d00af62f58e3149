import { type Gap, type Json, matchPath } from './gap.ts';

/** GitHub signs an App's commits that name no author, but emulate signs nothing. */
export function createCommits(): Gap {
  const signed = new Set<string>();
  return {
    fixAnswer({ method, path, body, caller }, answer) {
      const made = method === 'POST' && matchPath('/repos/:owner/:repo/git/commits', path);
      const read = method === 'GET' && matchPath('/repos/:owner/:repo/git/commits/:sha', path);
      if (answer.status >= 300 || !(made || read)) return answer;
      const commit = answer.body as Json & { sha: string };
      if (made && caller.kind !== 'person' && !body.author && !body.committer) signed.add(commit.sha);
      if (!signed.has(commit.sha)) return answer;
      const verification = {
        verified: true,
        reason: 'valid',
        signature: 'made by the sandbox',
        payload: 'made by the sandbox',
        verified_at: new Date().toISOString(),
      };
      return { ...answer, body: { ...commit, verification } };
    },
  };
}
