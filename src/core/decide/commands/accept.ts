import type { GivenCommand } from '../answer/given-command.ts';
import { endRun } from '../close-question.ts';
import type { Decision } from '../decision.ts';
import { finishRun } from '../finish-run.ts';
import type { CommandRule } from './command-rule.ts';
import { REFUSED_LATE } from './refused.ts';

/** G-7: the run ends with the work as it is, marked as partial. */
export const acceptRule: CommandRule = {
  ...REFUSED_LATE,
  listed: { working: 'last', paused: 'last' },
  asked({ pending, input }) {
    const guard = pending.triggers[0]?.guard ?? pending.type;
    const reason = `Task completed with partial results due to ${guard}`;
    return endRun(pending, input, 'resolved', { status: 'reviewing', reason });
  },
  working: acceptUnasked,
  paused: acceptUnasked,
};

function acceptUnasked({ input: { at, by } }: GivenCommand): Decision {
  const reason = `Task completed with partial results due to /accept by ${by}`;
  return finishRun({ at, by, status: 'reviewing', partial: true, reason });
}
