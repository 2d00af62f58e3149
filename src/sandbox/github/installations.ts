import { describeAccount, type Gap, type Json, matchPath, type Upstream } from './gap.ts';

/** emulate does not list an installation's repositories and returns little about its owner. */
export function createInstallations(repository: string, upstream: Upstream): Gap {
  return {
    async answer({ method, path, caller }) {
      if (
        method !== 'GET' ||
        caller.kind !== 'installation' ||
        !matchPath('/installation/repositories', path)
      )
        return undefined;
      const { body } = await upstream('GET', repository);
      return { status: 200, body: { total_count: 1, repositories: [body] } };
    },
    async fixAnswer({ method, path }, answer) {
      const token = answer.body as { repositories?: unknown[] } | undefined;
      if (token?.repositories && path.endsWith('/access_tokens')) {
        const { body } = await upstream('GET', repository);
        return { ...answer, body: { ...token, repositories: [body] } };
      }
      if (method !== 'GET' || answer.status !== 200) return answer;
      const isOne = matchPath('/repos/:owner/:repo/installation', path);
      if (!isOne && !matchPath('/app/installations', path)) return answer;
      const owner = repository.split('/')[2] ?? '';
      // GitHub's description requires the fields of a person and of an enterprise together.
      const account: Json = { ...(await describeAccount(upstream, owner)), name: owner, slug: owner };
      const complete = (one: Json) => ({ ...one, account, target_id: account.id });
      return {
        ...answer,
        body: isOne ? complete(answer.body as Json) : (answer.body as Json[]).map(complete),
      };
    },
  };
}
