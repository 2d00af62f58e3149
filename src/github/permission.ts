import type { Permission } from '../core/contracts/role.ts';
import { type GitHub, GitHubError } from '../core/ports/github-port.ts';
import { type Client, orUndefined } from './client/client.ts';

export function createPermissionMethods({ request }: Client): Pick<GitHub, 'permission'> {
  return {
    async permission(login) {
      const answer = await orUndefined(
        request('GET /repos/{owner}/{repo}/collaborators/{username}/permission', { username: login }),
      );
      return answer ? readPermission(answer.data.permission, answer.data.role_name, login) : 'none';
    },
  };
}

/**
 * `permission` decides. `role_name` only distinguishes maintain from write and triage from read, because custom roles can have
 * any name.
 */
function readPermission(permission: string, role: string, login: string): Permission {
  if (permission === 'write') return role === 'maintain' ? 'maintain' : 'write';
  if (permission === 'read') return role === 'triage' ? 'triage' : 'read';
  if (permission === 'admin' || permission === 'none') return permission;
  throw new GitHubError(
    `GitHub answered ${JSON.stringify(permission)} for the permission of ${login}, which we do not know.`,
    { status: 502 },
  );
}
