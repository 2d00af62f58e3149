import type { CommandName } from '../../core/contracts/command.ts';
import { hasRole, neededRole } from '../../core/contracts/role.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';

/** Checked for every tick and command. Throws if GitHub does not answer, so that an unknown permission is never a yes. */
export async function mayCommand(
  github: GitHub,
  login: string,
  command: CommandName,
  roles: RunTarget['roles'],
): Promise<boolean> {
  return hasRole(await github.permission(login), neededRole(roles, command));
}

/** A label spends money and runs an agent, so no config lowers its role below write. */
export async function mayStart(github: GitHub, login: string): Promise<boolean> {
  return hasRole(await github.permission(login), 'write');
}
