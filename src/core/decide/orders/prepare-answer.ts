import type { Answer } from '../../contracts/answer.ts';
import type { CommandName, InputRef } from '../../contracts/command.ts';
import type { Escalation } from '../../contracts/escalation.ts';
import type { GuardId, Trigger } from '../../contracts/guard.ts';
import type { Growth, Rules } from '../../contracts/rules.ts';
import type { ApprovedFile, RunEvent } from '../../contracts/run-event.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { predecessorOf } from './predecessor-of.ts';
import { carriesInstruction } from './unheard-instruction.ts';

const MINUTE_MS = 60_000;

interface AnswerOptions {
  id: string;
  at: string;
  by: string;
  escalation?: Escalation;
  /** Used instead of the escalation's own triggers. */
  measured?: Trigger[];
  command: CommandName;
  instruction: string;
  inputs: Record<string, InputRef>;
  rearm: GuardId[];
  growth: Growth;
  approvedPaths: string[];
  approvedNames?: string[];
  approvedFiles?: ApprovedFile[];
  approvedFolders?: string[];
  endsTurn: boolean;
  nextTurn: 'normal' | 'debug';
  agent?: string;
}

/** G-6: the events of one resumption. Limits grow, counters restart, and the job gets its instruction. */
export function prepareAnswer(state: RunState, rules: Rules, options: AnswerOptions): RunEvent[] {
  const { at, by, growth, escalation, agent } = options;
  const triggers = options.measured ?? escalation?.triggers ?? [];
  const reached = Object.fromEntries(
    triggers.map((trigger) => [trigger.guard, { ...trigger, observed: observedIn(state, trigger) }]),
  );
  const { turns, minutes, files } = growth;
  const events: RunEvent[] = [
    {
      type: 'limits_changed',
      at,
      rev: state.limits_rev + 1,
      limits: rules.grow(state.limits, options.rearm, { turns, minutes, files }, reached),
      approved_paths: [...new Set([...state.approved_paths, ...options.approvedPaths])],
      approved_names: options.approvedNames && [
        ...new Set([...(state.approved_names ?? []), ...options.approvedNames]),
      ],
      approved_files: options.approvedFiles,
      approved_folders: options.approvedFolders && [
        ...new Set([...(state.approved_folders ?? []), ...options.approvedFolders]),
      ],
    },
  ];
  const agentChanged = agent !== undefined && agent !== state.agent;
  if (agentChanged) {
    const reply = `${by} answered /${options.command} agent=${agent}`;
    events.push({
      type: 'agent_changed',
      at,
      agent,
      predecessor: predecessorOf(state, { question: escalation, answer: reply }),
    });
  }
  const answer: Answer = {
    id: options.id,
    escalation: escalation?.id,
    command: options.command,
    by,
    instruction: options.instruction,
    inputs: options.inputs,
    rearm: options.rearm,
    ends_turn: options.endsTurn,
    next_turn: options.nextTurn,
    agent_changed: agentChanged,
  };
  // The instruction needs one more turn, so the work that is being verified is not the result.
  if (state.verifying !== undefined && carriesInstruction(answer))
    events.push({ type: 'verification_dropped', at, by });
  events.push({ type: 'answer_prepared', at, answer });
  return events;
}

/**
 * a limit grows past the observed figure, so a job must not claim more turns than have ended, or more time than the desk
 * has seen it work.
 */
function observedIn({ turns, active_ms }: RunState, { observed, run_limit }: Trigger): number {
  if (run_limit === 'turns') return Math.min(observed, turns.length);
  return run_limit === 'minutes' ? Math.min(observed, active_ms / MINUTE_MS) : observed;
}
