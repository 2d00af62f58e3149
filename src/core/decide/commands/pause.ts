import type { Effect } from '../../contracts/effect.ts';
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
    const { at, by, because } = input;
    const detail = howToContinue(state, at);
    return {
      events: [{ type: 'run_paused', at, by, rearm: [] }],
      effects: [
        { type: 'stop_job' },
        { type: 'update_status' },
        ...setPauseTimer(state, at),
        because
          ? explainPause(because)
          : replyTo(input, { tone: 'taken', title: 'Pausing: the work is saved.', detail }),
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

/** Nobody gave this command, so nobody knows how it is undone. */
function explainPause(because: string): Effect {
  const title = `Paused: ${because}.`;
  const detail = 'The work is kept. Resume with `/continue`, or end the run with `/cancel`.';
  return { type: 'reply', reply: { tone: 'waiting', title, detail } };
}
