import { type Gap, matchPath, type Upstream } from './gap.ts';

/** emulate does not list the repositories of an installation. */
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
  };
}
