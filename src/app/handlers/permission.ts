import type { CommandName } from '../../core/contracts/command.ts';
import { hasRole, neededRole } from '../../core/contracts/role.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { RunTarget } from '../../core/ports/hosted-ports.ts';

/** Asked anew for every tick and command; an answer that cannot be had is a no (it throws). */
export async function mayCommand(
  github: GitHub,
  login: string,
  command: CommandName,
  roles: RunTarget['roles'],
): Promise<boolean> {
  return hasRole(await github.permission(login), neededRole(roles, command));
}

/** A label spends money and runs an agent: no config makes it cheaper than write access. */
export async function mayStart(github: GitHub, login: string): Promise<boolean> {
  return hasRole(await github.permission(login), 'write');
}
