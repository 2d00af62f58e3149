import type { CommandName } from '../contracts/command.ts';
import type { CommandInput } from '../contracts/input.ts';
import type { Rules } from '../contracts/rules.ts';
import { isFinished, pendingEscalation, type RunState, waitsOverClosedPull } from '../contracts/run-state.ts';
import { answerQuestion } from './commands/answer-question.ts';
import { steerRun } from './commands/steer-run.ts';
import { type Decision, refuse } from './decision.ts';

/** A command answers the open question; without one it steers the run. */
export function decideCommand(state: RunState, input: CommandInput, rules: Rules): Decision {
  const { name } = input.command;
  if (name === 'help' || name === 'status') {
    const reply = {
      tone: 'info' as const,
      title: name === 'help' ? 'What can be done now' : standingInWords(state),
      commands: commandsFor(state),
    };
    return { events: [], effects: [{ type: 'reply', source: input.source, reply }] };
  }
  if (isFinished(state)) {
    const by = state.finished?.by ? ` by ${state.finished.by}` : '';
    return refuse(input, {
      title: `Nothing changed: this run has ended${by} (${state.status}).`,
      detail: 'Label the issue again, or start a new run, to build it once more.',
    });
  }
  const pending = pendingEscalation(state);
  if (input.escalation && input.escalation !== pending?.id)
    return refuse(input, alreadyAnswered(state, input));
  return pending ? answerQuestion(state, pending, input, rules) : steerRun(state, input, rules);
}

/** the first answer counts; the other is told by whom. */
function alreadyAnswered(state: RunState, input: CommandInput) {
  const closed = state.escalations.find((escalation) => escalation.id === input.escalation);
  const again = state.escalations.find((escalation) => escalation.follows === input.escalation);
  if (closed?.status === 'agent_terminated' && again) {
    return {
      title: `Nothing changed: the agent died, and this question was asked again as ${again.id}.`,
      detail: 'Answer there.',
    };
  }
  const last = closed?.resolved_at ? closed.responses.at(-1) : undefined;
  return {
    title: last
      ? `Nothing changed: ${last.by} answered first, with /${last.command.name}.`
      : 'Nothing changed: this question is closed.',
    detail: '`/override` with other instructions changes course, `/pause` holds the run.',
  };
}

export function commandsFor(state: RunState): CommandName[] {
  if (isFinished(state)) return ['status', 'help'];
  const pending = pendingEscalation(state);
  if (!pending) {
    const always: CommandName[] = ['guide', 'override', 'review', 'accept', 'cancel', 'terminate', 'status'];
    return state.paused ? ['continue', ...always] : ['pause', ...always];
  }
  const offered = pending.options.map((option) => option.command.slice(1).split(' ')[0] as CommandName);
  const asked: CommandName[] = pending.inputs.length > 0 ? ['provide'] : [];
  return [...new Set<CommandName>([...asked, 'guide', 'override', ...offered, 'pause', 'status'])];
}

export function standingInWords(state: RunState): string {
  const pending = pendingEscalation(state);
  if (pending) return `Waiting for you: ${pending.headline}`;
  if (waitsOverClosedPull(state))
    return `Paused: the pull request was closed by ${state.closed_pull?.by}, /continue goes on with a new one`;
  if (state.paused) return `Paused in turn ${state.turn}: /continue goes on`;
  if (state.finished) return `Ended: ${state.status}, ${state.finished.reason}`;
  return state.turn === 0 ? 'Starting' : `Building: turn ${state.turn}, nothing needed from you`;
}
