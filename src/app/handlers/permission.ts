import { hasRole, type Role } from '../../core/contracts/role.ts';
import type { GitHub } from '../../core/ports/github-port.ts';

/** Checked for every tick and command. Throws if GitHub does not answer, so that an unknown permission is never a yes. */
export async function mayCommand(github: GitHub, login: string, needed: Role): Promise<boolean> {
  return hasRole(await github.permission(login), needed);
}

/** A label spends money and runs an agent, so no config lowers its role below write. */
export async function mayStart(github: GitHub, login: string): Promise<boolean> {
  return hasRole(await github.permission(login), 'write');
}
