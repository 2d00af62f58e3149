import { closingEffects, howToContinue, resolveQuestion } from '../close-question.ts';
import { refuse } from '../decision.ts';
import { setPauseTimer } from '../expiry.ts';
import { replyTo } from '../reply-to.ts';
import type { CommandRule } from './command-rule.ts';
import { REFUSED_LATE } from './refused.ts';

export const pauseRule: CommandRule = {
  ...REFUSED_LATE,
  listed: { asked: 'last', working: 'first' },
  /** G-12: the question is settled and the run waits. The guards that tripped are re-armed when the run continues. */
  asked({ state, pending, input }) {
    const { at, by } = input;
    return {
      events: [
        ...resolveQuestion(pending, input, 'resolved'),
        { type: 'run_paused', at, by, rearm: pending.rearm },
      ],
      effects: [
        ...closingEffects(pending),
        ...setPauseTimer(state, at),
        replyTo(input, {
          tone: 'taken',
          title: 'Paused: the work is saved.',
          detail: `${howToContinue(state, at)} No reminders until then.`,
        }),
      ],
    };
  },
  working({ state, input }) {
    const { at, by } = input;
    const detail = howToContinue(state, at);
    const reply = replyTo(input, { tone: 'taken', title: 'Pausing: the work is saved.', detail });
    return {
      events: [{ type: 'run_paused', at, by, rearm: [] }],
      effects: [
        { type: 'stop_job' },
        { type: 'update_status' },
        ...setPauseTimer(state, at),
        // A pause that no person gave is explained by a comment of its own.
        ...(input.because ? [] : [reply]),
      ],
    };
  },
  paused({ input }) {
    return refuse(input, {
      title: 'Nothing changed: the run is already paused.',
      suggestion: '/continue',
    });
  },
};
