import { type Gap, type Json, matchPath } from './gap.ts';

/** Two counts of a repository that GitHub returns and emulate does not. */
export function createRepositories(): Gap {
  return {
    fixAnswer({ method, path }, answer) {
      if (method !== 'GET' || answer.status !== 200 || !matchPath('/repos/:owner/:repo', path)) return answer;
      return { ...answer, body: { network_count: 0, subscribers_count: 0, ...(answer.body as Json) } };
    },
  };
}
