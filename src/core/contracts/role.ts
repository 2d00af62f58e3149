import type { CommandName } from './command.ts';

/** GitHub's roles that can be asked of somebody who commands, the least first. Who only reads commands nothing. */
export const ROLES = ['triage', 'write', 'maintain', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** GitHub's name for what somebody may do in a repository. */
export type Permission = 'none' | 'read' | Role;

const ORDER: readonly Permission[] = ['none', 'read', ...ROLES];

export function neededRole(
  roles: Partial<Record<CommandName, Role>> | undefined,
  command: CommandName,
): Role {
  return roles?.[command] ?? 'write';
}

export function hasRole(permission: Permission, needed: Role): boolean {
  return ORDER.indexOf(permission) >= ORDER.indexOf(needed);
}
