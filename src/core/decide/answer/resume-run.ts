import type { InputRef } from '../../contracts/command.ts';
import type { Reply } from '../../contracts/effect.ts';
import type { Escalation, EscalationStatus } from '../../contracts/escalation.ts';
import { asksForHelp, type GuardId, type Trigger } from '../../contracts/guard.ts';
import type { Growth } from '../../contracts/rules.ts';
import type { ApprovedFile, RunEvent } from '../../contracts/run-event.ts';
import { closingEffects, resolveQuestion } from '../close-question.ts';
import type { Decision } from '../decision.ts';
import { prepareAnswer } from '../orders/prepare-answer.ts';
import { replyTo } from '../reply-to.ts';
import { acknowledge } from './acknowledge.ts';
import type { GivenAnswer } from './given-command.ts';
import { nextJob } from './next-job.ts';

interface ResumeOptions {
  /** The agent is told this. Empty: it just continues. */
  instruction: string;
  /** `help`: only the agent's own call for help; edits that were reverted are asked about next. */
  settles?: 'everything' | 'help';
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
  approvedFolders?: string[];
  reply?: Reply;
}

/** Closes the question and tells the job to continue (G-6, E-10). */
export function resumeRun({ state, pending, input, rules }: GivenAnswer, options: ResumeOptions): Decision {
  const { at, by, command } = input;
  const prepared = prepareAnswer(state, rules, {
    id: `${pending.id}.answer`,
    at,
    by,
    escalation: pending,
    command: command.name,
    instruction: options.instruction,
    inputs: { ...state.given, ...options.inputs },
    rearm: settledGuards(pending, options.settles ?? 'everything'),
    growth: options.growth ?? {},
    approvedPaths: options.approvedPaths ?? [],
    approvedNames: options.approvedNames,
    approvedFiles: options.approvedFiles,
    approvedFolders: options.approvedFolders,
    endsTurn: options.endsTurn ?? options.agent !== undefined,
    nextTurn: options.nextTurn ?? 'normal',
    agent: options.agent,
  });
  const events = [
    ...(options.before ?? []),
    ...resolveQuestion(pending, input, options.status ?? 'resolved'),
    ...prepared,
  ];
  return {
    events,
    effects: [
      ...closingEffects(pending),
      replyTo(input, options.reply ?? acknowledge(command, pending.hint?.grants)),
      ...nextJob(state, events),
    ],
  };
}

/**
 * The guards that an answer re-arms. An answer to the agent's call for help says nothing about edits that were reverted
 * meanwhile, so their guards stay tripped and are asked about next.
 */
function settledGuards(pending: Escalation, settles: 'everything' | 'help'): GuardId[] {
  const isHelp = settles === 'help' && pending.triggers.some(({ evidence }) => asksForHelp(evidence));
  if (!isHelp) return pending.rearm;
  const open = new Set(pending.triggers.filter(holdsRevertedEdit).map(({ guard }) => guard));
  return pending.rearm.filter((guard) => !open.has(guard));
}

function holdsRevertedEdit({ evidence: { proposed = [] } }: Trigger): boolean {
  return proposed.some(({ finished }) => !finished);
}
