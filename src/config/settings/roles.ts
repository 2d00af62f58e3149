import * as z from 'zod';
import { COMMAND_NAMES, type CommandName } from '../../core/contracts/command.ts';
import { ROLES } from '../../core/contracts/role.ts';
import type { Setting } from '../setting.ts';

const role = z.enum(ROLES).optional();

function forEachCommand<Value>(value: Value): Record<CommandName, Value> {
  return Object.fromEntries(COMMAND_NAMES.map((name) => [name, value])) as Record<CommandName, Value>;
}

export const roles = {
  schema: z.strictObject(forEachCommand(role)).prefault({}),
  allowed: `a map of commands (${COMMAND_NAMES.join(', ')}) to roles`,
  keys: forEachCommand({ allowed: `${ROLES.slice(0, -1).join(', ')} or ${ROLES.at(-1)}` }),
  words:
    'The least role that a command needs, by comment, box or form: triage, write, maintain or admin. Setting the label always needs write access. Read on GitHub alone.',
  unset: '`write` for every command',
  example: { approve: 'maintain', cancel: 'triage' },
} satisfies Setting;
