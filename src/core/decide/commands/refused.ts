import { isAtTerminal } from '../../contracts/command.ts';
import type { Reply } from '../../contracts/effect.ts';
import type { RunState } from '../../contracts/run-state.ts';
import type { GivenCommand } from '../answer/given-command.ts';
import { type Decision, refuse } from '../decision.ts';
import { describeStatus } from './status.ts';

/** For every command that would change the run: the work is delivered, the run has ended, or the question is closed. */
export const REFUSED_LATE = { resting: refuseResting, ended: refuseEnded, late: refuseAnswered };

/** For commands that only answer a question. */
export const REFUSED_WITHOUT_QUESTION = { working: refuseWithoutQuestion, paused: refuseWithoutQuestion };

/** V-1: the run waits for a merge, a close, or a round of changes. R-7: an answer that accepted the work came before. */
function refuseResting({ state, input }: GivenCommand): Decision {
  if (isAtTerminal(input.via))
    return refuse(input, {
      title: 'Nothing changed: the run is done, and no round is running.',
      detail: 'Another round begins with what is to be changed.',
      suggestion: '/guide <what to change>',
    });
  return refuse(input, {
    title: 'Nothing changed: the pull request is ready, and no round is running.',
    detail: [
      ...lastAnswer(state, 'the last question'),
      '`/continue` addresses its open remarks, `/guide <what to change>` asks for a change.',
    ].join(' '),
    suggestion: '/continue',
  });
}

function refuseEnded({ state, input }: GivenCommand): Decision {
  return refuse(input, {
    title: `Nothing changed: this run has ended. ${describeStatus(state)}.`,
    detail: 'To build it again, re-add the label or start a new run.',
  });
}

/** the first answer counts, and the reply to a later one names its author. */
function refuseAnswered({ state, input }: GivenCommand): Decision {
  const closed = state.escalations.find((escalation) => escalation.id === input.escalation);
  const again = state.escalations.find((escalation) => escalation.follows === input.escalation);
  if (closed?.status === 'agent_terminated' && again) {
    return refuse(input, {
      title: `Nothing changed: the agent died, and the question was asked again as ${again.id}.`,
      detail: 'Answer there.',
    });
  }
  const last = closed?.resolved_at ? closed.responses.at(-1) : undefined;
  return refuse(input, {
    title: last
      ? `Nothing changed: ${last.by} answered first, with /${last.command.name}.`
      : 'Nothing changed: this question is closed.',
    detail: 'To change course, use `/override <what to build instead>`; to stop for now, `/pause`.',
  });
}

/** a person who answers a moment late is told who was first. */
export function refuseWithoutQuestion({ state, input }: GivenCommand): Decision {
  return refuse(input, noQuestionOpen(state));
}

function noQuestionOpen(state: RunState): Omit<Reply, 'tone'> {
  const where = state.paused
    ? 'The run is paused; resume with `/continue`.'
    : state.turn > 0
      ? `Turn ${state.turn} is running.`
      : 'The run is starting.';
  return {
    title: 'Nothing changed: no question is open.',
    detail: [where, ...lastAnswer(state, 'the last one')].join(' '),
    suggestion: '/guide <what to do differently>',
  };
}

function lastAnswer(state: RunState, question: string): string[] {
  const last = state.escalations.at(-1)?.responses.at(-1);
  return last ? [`${last.by} answered ${question} with /${last.command.name}.`] : [];
}
