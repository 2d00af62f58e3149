import type { GivenCommand } from '../answer/given-command.ts';
import type { Decision } from '../decision.ts';
import { recordResponse } from '../record-response.ts';
import type { CommandRule } from './command-rule.ts';
import { REFUSED_LATE } from './refused.ts';

/** G-10: the history is shown, and an open question stays open. */
export const reviewRule: CommandRule = {
  ...REFUSED_LATE,
  listed: { working: 'last', paused: 'last' },
  asked({ pending, input }) {
    const { at, by } = input;
    return {
      events: [recordResponse(pending, input), { type: 'review_shown', at, escalation: pending.id, by }],
      effects: [{ type: 'show_review', escalation: pending.id }],
    };
  },
  working: showHistory,
  paused: showHistory,
};

function showHistory({ input: { at, by } }: GivenCommand): Decision {
  return { events: [{ type: 'review_shown', at, by }], effects: [{ type: 'show_review' }] };
}
