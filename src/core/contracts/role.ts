import type { CommandName } from './command.ts';

/** GitHub's roles that a command can require, the least first. Readers cannot give commands. */
export const ROLES = ['triage', 'write', 'maintain', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** GitHub's name for a person's access to a repository. */
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
