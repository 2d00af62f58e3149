import type { CommandName } from '../../core/command.ts';
import type { GitHub, Permission } from '../../core/github-port.ts';
import type { Place } from '../../core/hosted-ports.ts';

const ORDER: Permission[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];

/** Asked anew for every label, tick and command; an answer that cannot be had is a no (it throws). */
export async function mayCommand(
  github: GitHub,
  login: string,
  command: CommandName,
  roles: Place['roles'] = {},
): Promise<boolean> {
  const needed = roles[command] ?? 'write';
  return ORDER.indexOf(await github.permission(login)) >= ORDER.indexOf(needed);
}
