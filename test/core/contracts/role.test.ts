import { expect, test } from 'vitest';
import { COMMAND_NAMES } from '../../../src/core/contracts/command.ts';
import type { Permission } from '../../../src/core/contracts/role.ts';
import { hasRole, neededRole, ROLES } from '../../../src/core/contracts/role.ts';

const ALL: Permission[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];

test.each(ROLES)('who has the role %s or a higher one has it, and nobody else', (needed) => {
  const having = ALL.filter((permission) => hasRole(permission, needed));
  expect(having).toEqual(ALL.slice(ALL.indexOf(needed)));
});

test('a role GitHub does not know is none', () => {
  expect(hasRole('custom' as Permission, 'triage')).toBe(false);
});

test('C-4: every command needs write, but for those the config names', () => {
  for (const name of COMMAND_NAMES) {
    expect(neededRole(undefined, name)).toBe('write');
    expect(neededRole({ cancel: 'triage', accept: 'admin' }, name)).toBe(
      { cancel: 'triage', accept: 'admin' }[name as string] ?? 'write',
    );
  }
});
