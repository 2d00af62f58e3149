import type { InputRef } from '../../contracts/command.ts';
import type { Reply } from '../../contracts/effect.ts';
import type { Escalation, EscalationStatus } from '../../contracts/escalation.ts';
import type { CommandInput } from '../../contracts/input.ts';
import type { Growth, Rules } from '../../contracts/rules.ts';
import type { ApprovedFile, RunEvent } from '../../contracts/run-event.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { closingEffects, resolveQuestion } from '../close-question.ts';
import type { Decision } from '../decision.ts';
import { prepareAnswer } from '../orders/prepare-answer.ts';
import { replyTo } from '../reply-to.ts';
import { instructionFor } from './instruction.ts';
import { rearmedBy } from './put-back-question.ts';

export interface ResumeOptions {
  status?: EscalationStatus;
  growth?: Growth;
  agent?: string;
  endsTurn?: boolean;
  nextTurn?: 'normal' | 'debug';
  /** Journalled before the response. */
  before?: RunEvent[];
  /** Values given with this answer, beside those given before. */
  inputs?: Record<string, InputRef>;
  approvedPaths?: string[];
  approvedNames?: string[];
  approvedFiles?: ApprovedFile[];
  reply?: Reply;
}

/** An answer after which the agent goes on: the question is closed and the job is told (G-6, E-10). */
export function resumeRun(
  state: RunState,
  pending: Escalation,
  input: CommandInput,
  rules: Rules,
  options: ResumeOptions = {},
): Decision {
  const { at, by, command } = input;
  const given = { ...state.given, ...options.inputs };
  const prepared = prepareAnswer(state, rules, {
    id: `${pending.id}.answer`,
    at,
    by,
    escalation: pending,
    command: command.name,
    instruction: instructionFor(input, state, { pending, given: Object.keys(given) }),
    inputs: given,
    rearm: rearmedBy(pending, command),
    growth: options.growth ?? {},
    approvedPaths: options.approvedPaths ?? [],
    approvedNames: options.approvedNames,
    approvedFiles: options.approvedFiles,
    endsTurn: options.endsTurn ?? options.agent !== undefined,
    nextTurn: options.nextTurn ?? 'normal',
    agent: options.agent,
  });
  return {
    events: [
      ...(options.before ?? []),
      ...resolveQuestion(pending, input, options.status ?? 'resolved'),
      ...prepared,
    ],
    effects: [
      ...closingEffects(pending),
      replyTo(input, options.reply ?? { tone: 'taken', title: `Taken: /${command.name}.` }),
      ...(state.job_live ? [] : [{ type: 'dispatch_job' as const }]),
    ],
  };
}
