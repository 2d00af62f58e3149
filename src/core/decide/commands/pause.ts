import type { Effect } from '../../contracts/effect.ts';
import { type Escalation, isAboutJobs } from '../../contracts/escalation.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { closingEffects, howToContinue, resolveQuestion } from '../close-question.ts';
import { type Decision, refuse } from '../decision.ts';
import { setPauseTimer } from '../expiry.ts';
import { replyTo } from '../reply-to.ts';
import type { CommandRule } from './command-rule.ts';
import { REFUSED_LATE } from './refused.ts';

export const pauseRule: CommandRule = {
  ...REFUSED_LATE,
  listed: { asked: 'last', working: 'first' },
  /** G-12: the question is settled and the run waits. The guards that tripped are re-armed when the run continues. */
  asked({ state, pending, input }) {
    const { at, by, because } = input;
    // Nobody answered, so the question stays.
    if (because) return tell(`The run still waits for an answer, though ${because}.`, 'Answer the question');
    return {
      events: [
        ...resolveQuestion(pending, input, 'resolved'),
        {
          type: 'run_paused',
          at,
          by,
          rearm: pending.rearm,
          lost_verification: lostVerification(state, pending),
        },
      ],
      effects: [
        ...closingEffects(pending),
        ...setPauseTimer(state, at),
        replyTo(input, {
          tone: 'taken',
          // A job that was lost in its turn has saved nothing of that turn.
          title: isAboutJobs(pending) ? 'Paused.' : 'Paused: the work is saved.',
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
          ? explain(`Paused: ${because}.`, 'The work is kept. Resume with `/continue`')
          : replyTo(input, { tone: 'taken', title: 'Pausing: the work is saved.', detail }),
      ],
    };
  },
  paused({ input }) {
    const { because } = input;
    if (because) return tell(`The run stays paused: ${because}.`, 'Resume with `/continue`');
    return refuse(input, {
      title: 'Nothing changed: the run is already paused.',
      suggestion: '/continue',
    });
  },
};

/** The question about the job of a verification closes, but the run still needs a result. */
function lostVerification({ verifying: attempt }: RunState, pending: Escalation) {
  if (attempt === undefined || !isAboutJobs(pending)) return undefined;
  return { attempt, log_url: pending.log_url };
}

/** Nobody gave this command, so nobody knows what can be done now. */
function explain(title: string, next: string): Effect {
  const detail = `${next}, or end the run with \`/cancel\`.`;
  return { type: 'reply', reply: { tone: 'waiting', title, detail } };
}

function tell(title: string, next: string): Decision {
  return { events: [], effects: [explain(title, next)] };
}
