import { type Call, type Gap, type Json, matchPath } from './gap.ts';
import type { Role } from './permissions.ts';

/** GitHub shows these to those who may push. */
const MERGE_SETTINGS = { allow_squash_merge: true, squash_merge_commit_message: 'PR_BODY' };

/** Two counts and the settings of a merge, which GitHub returns and emulate does not. */
export function createRepositories(roles: ReadonlyMap<string, Role>): Gap {
  const mayPush = ({ caller }: Call) =>
    caller.kind === 'person'
      ? ['write', 'maintain', 'admin'].includes(roles.get(caller.login) ?? '')
      : caller.kind === 'installation';
  return {
    fixAnswer(call, answer) {
      const { method, path } = call;
      if (method !== 'GET' || answer.status !== 200 || !matchPath('/repos/:owner/:repo', path)) return answer;
      const shown = mayPush(call) ? MERGE_SETTINGS : {};
      return {
        ...answer,
        body: { network_count: 0, subscribers_count: 0, ...shown, ...(answer.body as Json) },
      };
    },
  };
}
