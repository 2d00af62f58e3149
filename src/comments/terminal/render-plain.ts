import { showCommand } from '../../core/contracts/command.ts';
import type { LimitsInForce } from '../../core/contracts/guard.ts';
import { keyWords } from '../../core/contracts/key-custody.ts';
import { countedTokens, type RunEvent } from '../../core/contracts/run-event.ts';
import { figuresOfRound, type RunState } from '../../core/contracts/run-state.ts';
import { score } from '../../core/contracts/verification.ts';
import { testsOf } from '../github/sections/turn-history.ts';
import { costFigure } from '../text/cost-figure.ts';
import { withLimit } from '../text/figures.ts';
import { isolationWords } from '../text/isolation.ts';
import { clockIn, count, list, minutes } from '../text/words.ts';
import { terminalLine } from './terminal-text.ts';

const WIDTH = 200;

/** One line per event with its time, for a pipe or a job's log. Undefined for events that readers do not need. */
export function renderPlain(
  event: RunEvent,
  limits: LimitsInForce,
  zone?: string,
  round?: RunState['revision'],
): string | undefined {
  const text = describe(event, limits, round);
  return text && `${clockIn(event.at, zone, true)} ${terminalLine(text, WIDTH)}`;
}

function describe(event: RunEvent, limits: LimitsInForce, round: RunState['revision']): string | undefined {
  switch (event.type) {
    case 'run_requested':
      return `run ${event.run}: ${event.task.title}, agent ${event.agent}`;
    case 'job_started':
      return `job ${event.job} started${event.isolation === undefined ? '' : `, ${isolationWords(event.isolation)}`}`;
    case 'baseline_recorded':
      return `baseline: ${testsOf(event)} pass before ${round === undefined ? 'any change' : `round ${round.number}`}`;
    case 'turn_started':
      return `turn ${round ? event.turn : withLimit(event.turn, limits.turns)} ${event.resumed ? 'continues' : 'started'}${ofRound(event.turn, limits, round)}${event.kind === 'debug' ? ', debugging' : ''}${event.keys === undefined ? '' : `; ${keyWords(event.keys)}`}`;
    case 'turn_ended':
      return `turn ${event.record.turn} ended: ${turnFigures(event, limits, round)}`;
    case 'escalation_raised':
      return `waiting: ${[event.escalation.headline, list(event.escalation.inputs.map((input) => input.key))].filter(Boolean).join(': ')}`;
    case 'agent_frozen':
      return `agent paused after ${(event.ms / 1000).toFixed(2)} s, ${count(event.processes, 'process', 'processes')}`;
    case 'inputs_given':
      return `${event.by} gave ${list(Object.keys(event.inputs))}`;
    case 'response_recorded': {
      const { command, by } = event.response;
      return command.name === 'provide' ? undefined : `${by} answered: ${showCommand(command)}`;
    }
    case 'escalation_resolved':
      return `question ${event.escalation}: ${event.status.replaceAll('_', ' ')}`;
    case 'answer_acknowledged':
      return `the agent acknowledged: ${event.text}`;
    case 'agent_changed':
      return `agent changed to ${event.agent}`;
    case 'known_issue_recorded':
      return `known issue: ${event.issue.title}`;
    case 'run_paused':
      return `paused by ${event.by}`;
    case 'job_parked':
      return 'paused: the work is saved, the job ends';
    case 'job_handed_over':
      return 'handed over to a new job';
    case 'job_lost':
      return `job lost: ${event.reason}`;
    case 'agent_terminated':
      return `the agent's process ended while question ${event.escalation} was open: ${event.reason}`;
    case 'reminder_sent':
      return `reminder ${event.number} for question ${event.escalation}`;
    case 'command_refused':
      return `${event.command} by ${event.by} changed nothing: ${event.reason}`;
    case 'run_finished':
      return `${endWord(event)}: ${event.reason}`;
    case 'revision_asked':
      return `${event.by} asked for a round${event.instruction ? `: ${event.instruction}` : ''}`;
    case 'revision_started':
      return `round ${event.revision.number} started`;
    case 'revision_ended':
      return `round ended: ${event.outcome}${event.reason ? `, ${event.reason}` : ''}`;
    case 'revision_moved':
      return `round ${event.round} continues on ${event.head.slice(0, 7)}`;
    case 'revision_dropped':
      return `no round started: ${event.reason}`;
    case 'revisions_allowed':
      return `${event.by} allowed ${count(event.more, 'more round')}`;
    case 'limits_changed':
    case 'answer_prepared':
    case 'answer_delivered':
    case 'review_shown':
      return undefined;
  }
  // The journal of another version may have events that this version does not know.
  return undefined;
}

function endWord({ status, partial }: Extract<RunEvent, { type: 'run_finished' }>): string {
  if (status === 'terminated_by_human') return 'terminated';
  if (status !== 'reviewing' && status !== 'approved') return status;
  return partial ? 'partially done' : 'done';
}

/** V-1: turns keep their numbers over all rounds, and the limit is that of the round. */
function ofRound(turn: number, limits: LimitsInForce, revision: RunState['revision']): string {
  const figures = figuresOfRound({ revision }, { turn, max_turns: limits.turns, active_ms: 0 });
  return figures ? `, ${withLimit(figures.turn, figures.max_turns)} of round ${figures.number}` : '';
}

function turnFigures(
  event: Extract<RunEvent, { type: 'turn_ended' }>,
  limits: LimitsInForce,
  round: RunState['revision'],
): string {
  const { verification } = event.record;
  return [
    verification && `${score(verification).unit} ${testsOf(event.record)}`,
    `files ${withLimit(event.record.changes.paths.length, limits.files)}`,
    `${withLimit(minutes(event.active_ms - (round?.before.active_ms ?? 0)), limits.minutes)} min`,
    costFigure({ cost_usd: event.usage.cost_usd, tokens: countedTokens(event.usage) }, limits.cost),
  ]
    .filter(Boolean)
    .join(', ');
}
