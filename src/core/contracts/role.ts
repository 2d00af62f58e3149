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

/** Commands that let a paused run continue. */
const RESUMING: ReadonlySet<CommandName> = new Set(['continue', 'guide', 'override', 'approve']);

/** The role for a command now. A run over its repository's budget is continued by those who decide about money. */
export function neededNow(
  roles: Partial<Record<CommandName, Role>> | undefined,
  command: CommandName,
  isOverBudget: boolean,
): Role {
  const needed = neededRole(roles, command);
  return isOverBudget && RESUMING.has(command) && !hasRole(needed, 'maintain') ? 'maintain' : needed;
}

export function hasRole(permission: Permission, needed: Role): boolean {
  return ORDER.indexOf(permission) >= ORDER.indexOf(needed);
}
