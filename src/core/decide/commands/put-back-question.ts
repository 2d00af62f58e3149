import type { SealedCommand } from '../../contracts/command.ts';
import type { Escalation } from '../../contracts/escalation.ts';
import type { GuardId, Trigger } from '../../contracts/guard.ts';

/**
 * Which guards an answer settles. What the agent asked for is no word on the edits that were put back meanwhile: their guards stay
 * tripped, so that they are asked about next.
 */
export function rearmedBy(pending: Escalation, command: SealedCommand): GuardId[] {
  if (!answersHelpAlone(pending, command)) return pending.rearm;
  const open = new Set(pending.triggers.filter(holdsPutBack).map(({ guard }) => guard));
  return pending.rearm.filter((guard) => !open.has(guard));
}

function answersHelpAlone({ triggers, inputs, options }: Escalation, command: SealedCommand): boolean {
  if (!triggers.some(({ guard }) => guard === 'need_help')) return false;
  if (command.name === 'provide') return true;
  // Where values are asked for, it says that they are in Actions secrets.
  if (command.name === 'continue') return inputs.length > 0;
  // Words of one's own; those that were offered say what is to become of the edits.
  return command.name === 'guide' && !options.some((option) => option.command === `/guide ${command.text}`);
}

function holdsPutBack({ evidence: { proposed = [] } }: Trigger): boolean {
  return proposed.some(({ finished }) => !finished);
}
