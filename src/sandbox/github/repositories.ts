import { type Gap, type Json, matchPath } from './gap.ts';

/** Two counts that GitHub tells of a repository and emulate does not. */
export function createRepositories(): Gap {
  return {
    mend({ method, path }, answer) {
      if (method !== 'GET' || answer.status !== 200 || !matchPath('/repos/:owner/:repo', path)) return answer;
      return { ...answer, body: { network_count: 0, subscribers_count: 0, ...(answer.body as Json) } };
    },
  };
}
