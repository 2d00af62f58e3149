import type { Escalation } from '../../contracts/escalation.ts';
import { asksForHelp, type GuardId, type Trigger } from '../../contracts/guard.ts';

/**
 * The guards that an answer re-arms. An answer to the agent's call for help says nothing about edits that were reverted
 * meanwhile, so their guards stay tripped and are asked about next.
 */
export function settledGuards(pending: Escalation, settles: 'everything' | 'help'): GuardId[] {
  const isHelp = settles === 'help' && pending.triggers.some(({ evidence }) => asksForHelp(evidence));
  if (!isHelp) return pending.rearm;
  const open = new Set(pending.triggers.filter(holdsRevertedEdit).map(({ guard }) => guard));
  return pending.rearm.filter((guard) => !open.has(guard));
}

function holdsRevertedEdit({ evidence: { proposed = [] } }: Trigger): boolean {
  return proposed.some(({ finished }) => !finished);
}
