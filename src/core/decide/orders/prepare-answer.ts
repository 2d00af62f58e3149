import type { Answer } from '../../contracts/answer.ts';
import type { CommandName, InputRef } from '../../contracts/command.ts';
import type { Escalation } from '../../contracts/escalation.ts';
import type { GuardId, Trigger } from '../../contracts/guard.ts';
import type { Growth, Rules } from '../../contracts/rules.ts';
import type { ApprovedFile, RunEvent } from '../../contracts/run-event.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { predecessorOf } from './predecessor-of.ts';
import { carriesInstruction } from './unheard-instruction.ts';

interface AnswerParts {
  id: string;
  at: string;
  by: string;
  escalation?: Escalation;
  /** What tripped, when that is not the escalation's own. */
  measured?: Trigger[];
  command: CommandName;
  instruction: string;
  inputs: Record<string, InputRef>;
  rearm: GuardId[];
  growth: Growth;
  approvedPaths: string[];
  approvedNames?: string[];
  approvedFiles?: ApprovedFile[];
  endsTurn: boolean;
  nextTurn: 'normal' | 'debug';
  agent?: string;
}

/** Limits grow, counters start again, and the job gets its instruction: the events of one resumption (G-6). */
export function prepareAnswer(state: RunState, rules: Rules, parts: AnswerParts): RunEvent[] {
  const { at, by, growth, escalation, agent } = parts;
  const triggers = parts.measured ?? escalation?.triggers ?? [];
  const observed = Object.fromEntries(triggers.map((trigger) => [trigger.guard, trigger.observed]));
  const { turns, minutes, files } = growth;
  const events: RunEvent[] = [
    {
      type: 'limits_changed',
      at,
      rev: state.limits_rev + 1,
      limits: rules.grow(state.limits, parts.rearm, { turns, minutes, files }, observed),
      approved_paths: [...new Set([...state.approved_paths, ...parts.approvedPaths])],
      approved_names: parts.approvedNames && [
        ...new Set([...(state.approved_names ?? []), ...parts.approvedNames]),
      ],
      approved_files: parts.approvedFiles,
    },
  ];
  const agentChanged = agent !== undefined && agent !== state.agent;
  if (agentChanged) {
    const said = `${by} answered /${parts.command} agent=${agent}`;
    events.push({
      type: 'agent_changed',
      at,
      agent,
      predecessor: predecessorOf(state, { question: escalation, answer: said }),
    });
  }
  const answer: Answer = {
    id: parts.id,
    escalation: escalation?.id,
    command: parts.command,
    by,
    instruction: parts.instruction,
    inputs: parts.inputs,
    rearm: parts.rearm,
    ends_turn: parts.endsTurn,
    next_turn: parts.nextTurn,
    agent_changed: agentChanged,
  };
  // The work is not done: one more turn comes, and what is being verified is not its result.
  if (state.verifying !== undefined && carriesInstruction(answer))
    events.push({ type: 'verification_dropped', at, by });
  events.push({ type: 'answer_prepared', at, answer });
  return events;
}
