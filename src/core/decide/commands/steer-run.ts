import type { Effect } from '../../contracts/effect.ts';
import type { CommandInput } from '../../contracts/input.ts';
import type { Growth, Rules } from '../../contracts/rules.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { cancelReason, howToGoOn } from '../close-question.ts';
import { type Decision, refuse } from '../decision.ts';
import { clearPauseTimer, setPauseTimer } from '../expiry.ts';
import { finishRun } from '../finish-run.ts';
import { prepareAnswer } from '../orders/prepare-answer.ts';
import { noQuestionOpen, unknownAgent, unknownAlternative, uselessFileLimit } from '../refusals.ts';
import { replyTo } from '../reply-to.ts';
import { instructionFor } from './instruction.ts';

/** Commands while no question is open: hints and limits for the running turn, pause, stop. */
export function steerRun(state: RunState, input: CommandInput, rules: Rules): Decision {
  const { events, effects } = decideSteering(state, input, rules);
  return { events, effects: [...effects, ...clearPauseTimer(state, events)] };
}

function decideSteering(state: RunState, input: CommandInput, rules: Rules): Decision {
  const { command, at, by } = input;
  switch (command.name) {
    case 'guide':
      return steer(state, input, rules, {});
    case 'override': {
      const suggestions = state.blocked_report?.suggested_alternatives ?? [];
      const refusal = unknownAlternative(command.text, suggestions);
      return refusal ? refuse(input, refusal) : steer(state, input, rules, { endsTurn: true });
    }
    case 'approve': {
      const { files, paths } = command;
      if (files === undefined && paths === undefined) {
        return refuse(input, {
          title: 'Nothing changed: no file waits for approval.',
          detail: 'Say how much is allowed from now on.',
          suggestion: '/approve files=30',
        });
      }
      const useless = uselessFileLimit(state, files, state.changes.paths.length);
      if (useless) return refuse(input, useless);
      return steer(state, input, rules, { growth: { files }, approvedPaths: paths });
    }
    case 'continue': {
      if (!state.paused) return refuse(input, noQuestionOpen(state));
      const refusal = unknownAgent(state, command.agent);
      if (refusal) return refuse(input, refusal);
      return steer(state, input, rules, { growth: command, agent: command.agent });
    }
    case 'pause':
      return pause(state, input);
    case 'accept': {
      const reason = `Task completed with partial results due to /accept by ${by}`;
      return finishRun({ at, by, status: 'reviewing', partial: true, reason });
    }
    case 'cancel':
      return finishRun({ at, by, status: 'cancelled', partial: true, reason: cancelReason(input) });
    case 'terminate': {
      const reason = `terminated by ${by}`;
      return finishRun({ at, by, status: 'terminated_by_human', partial: true, reason });
    }
    case 'review':
      return { events: [{ type: 'review_shown', at, by }], effects: [{ type: 'show_review' }] };
    case 'provide':
    case 'retry':
    case 'debug':
    case 'skip':
      return refuse(input, noQuestionOpen(state));
    case 'status':
    case 'help':
      throw new Error(`${command.name} is answered before the run is looked at`);
  }
}

function pause(state: RunState, input: CommandInput): Decision {
  const { at, by } = input;
  if (state.paused) {
    return refuse(input, {
      title: 'Nothing changed: the run is paused already.',
      suggestion: '/continue',
    });
  }
  return {
    events: [{ type: 'run_paused', at, by, rearm: [] }],
    effects: [
      { type: 'stop_job' },
      { type: 'update_status' },
      ...setPauseTimer(state, at),
      // What is not a person's command is explained by whoever gives it.
      ...(input.because ? [] : [pausing(state, input)]),
    ],
  };
}

function pausing(state: RunState, input: CommandInput): Effect {
  const detail = howToGoOn(state, input.at);
  return replyTo(input, { tone: 'taken', title: 'Pausing: the work is saved.', detail });
}

function steer(
  state: RunState,
  input: CommandInput,
  rules: Rules,
  options: { growth?: Growth; approvedPaths?: string[]; endsTurn?: boolean; agent?: string },
): Decision {
  const rearm = state.paused?.rearm ?? [];
  const events = prepareAnswer(state, rules, {
    id: `steer.${state.limits_rev + 1}`,
    at: input.at,
    by: input.by,
    // Limits grow past what the question measured before the run was paused over it.
    measured: rearm.length > 0 ? state.escalations.at(-1)?.triggers : undefined,
    command: input.command.name,
    instruction: instructionFor(input, state),
    inputs: {},
    rearm,
    growth: options.growth ?? {},
    approvedPaths: options.approvedPaths ?? [],
    endsTurn: options.endsTurn ?? options.agent !== undefined,
    nextTurn: 'normal',
    agent: options.agent,
  });
  const dropped = events.some(({ type }) => type === 'verification_dropped');
  return {
    events,
    effects: [
      { type: 'update_status' },
      replyTo(input, {
        tone: 'taken',
        title: `Taken: /${input.command.name}.`,
        detail: dropped
          ? 'The work was being verified. The agent gets one more turn with this first.'
          : undefined,
      }),
      // First: two jobs of one issue do not run side by side.
      ...(dropped ? [{ type: 'stop_verification' as const }] : []),
      ...(state.job_live ? [] : [{ type: 'dispatch_job' as const }]),
    ],
  };
}
