import { COMMAND_NAMES, type CommandName } from '../../../core/contracts/command.ts';
import type { CommentContext } from '../../../core/contracts/comment-context.ts';
import type { Escalation } from '../../../core/contracts/escalation.ts';
import { needsDecision } from '../../../core/contracts/guard.ts';
import { hasRole, neededRole, ROLES } from '../../../core/contracts/role.ts';
import { list } from '../../text/words.ts';

/** Roles with write access, which may also use commands that triagers may use. */
const FROM_WRITE = ROLES.filter((role) => hasRole(role, 'write'));

/** C-4: the role that may answer, and the offered commands that need a higher role. */
export function whoCanAnswer(
  escalation: Escalation,
  { roles }: Pick<CommentContext, 'roles'>,
  alsoOffered: readonly CommandName[] = [],
): string {
  const offered = new Set([...offeredBy(escalation), ...alsoOffered]);
  const names = COMMAND_NAMES.filter((name) => offered.has(name));
  const needing = (role: string) =>
    names.filter((name) => {
      const needed = neededRole(roles, name);
      return (hasRole('write', needed) ? 'write' : needed) === role;
    });
  const [least = 'write', ...higher] = FROM_WRITE.filter((role) => needing(role).length > 0);
  const anyone = least === 'write' ? 'write access' : `the ${least} role`;
  const exceptions = higher.map((role) => {
    const commands = needing(role).map((name) => `\`/${name}\``);
    return `${list(commands)} ${commands.length === 1 ? 'requires' : 'require'} the ${role} role`;
  });
  return ` ${[`Anyone with ${anyone} can answer`, ...exceptions].join('; ')}.`;
}

/** Commands that the question offers as a box or as a line to reply with. */
function offeredBy({ options, inputs, triggers }: Escalation): string[] {
  return [
    ...options.map(({ command }) => command.slice(1).split(' ')[0] ?? ''),
    ...(inputs.length > 0 ? ['provide'] : ['guide']),
    ...(triggers.some(({ evidence }) => needsDecision(evidence)) ? ['continue', 'override'] : []),
  ];
}
