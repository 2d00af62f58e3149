import { describeAccount, type Gap, type Json, matchPath, type Upstream } from './gap.ts';

/** emulate does not list the repositories of an installation, and says little of whose it is. */
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
    async mend({ method, path }, answer) {
      if (method !== 'GET' || answer.status !== 200 || !matchPath('/app/installations', path)) return answer;
      const owner = repository.split('/')[2] ?? '';
      // GitHub's description asks for the fields of a person and of an enterprise alike.
      const account: Json = { ...(await describeAccount(upstream, owner)), name: owner, slug: owner };
      const installations = answer.body as Json[];
      return { ...answer, body: installations.map((one) => ({ ...one, account, target_id: account.id })) };
    },
  };
}
