import type { Growth } from '../../contracts/rules.ts';
import type { Decision } from '../decision.ts';
import { prepareAnswer } from '../orders/prepare-answer.ts';
import { replyTo } from '../reply-to.ts';
import { acknowledge } from './acknowledge.ts';
import type { GivenCommand } from './given-command.ts';
import { nextJob } from './next-job.ts';

interface SteerOptions {
  /** The agent is told this. Empty: it just continues. */
  instruction: string;
  growth?: Growth;
  approvedPaths?: string[];
  endsTurn?: boolean;
  agent?: string;
}

/** A hint or larger limits while no question is open. A paused run continues with it. */
export function steerRun({ state, input, rules }: GivenCommand, options: SteerOptions): Decision {
  const rearm = state.paused?.rearm ?? [];
  const events = prepareAnswer(state, rules, {
    id: `steer.${state.limits_rev + 1}`,
    at: input.at,
    by: input.by,
    // Limits grow past the figures of the question over which the run was paused.
    measured: rearm.length > 0 ? state.escalations.at(-1)?.triggers : undefined,
    command: input.command.name,
    instruction: options.instruction,
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
        ...acknowledge(input.command),
        detail: dropped ? 'The work was being verified; the agent gets one more turn first.' : undefined,
      }),
      // Stopped before the next job is dispatched, because two jobs of one issue do not run side by side.
      ...(dropped ? [{ type: 'stop_verification' as const }] : []),
      ...nextJob(state, events),
    ],
  };
}
