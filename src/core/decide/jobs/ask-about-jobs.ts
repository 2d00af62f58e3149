import type { CommandName } from '../../contracts/command.ts';
import { type Escalation, type EscalationStatus, isAboutJobs } from '../../contracts/escalation.ts';
import type { Hint, Option, Trigger } from '../../contracts/guard.ts';
import type { Rules } from '../../contracts/rules.ts';
import type { RunState } from '../../contracts/run-state.ts';
import type { GivenAnswer, GivenCommand } from '../answer/given-command.ts';
import { withoutJob } from '../answer/next-job.ts';
import { closingEffects, resolveQuestion } from '../close-question.ts';
import { type Decision, refuse } from '../decision.ts';
import { evolve } from '../evolve.ts';
import { measureAtDesk } from '../measure-at-desk.ts';
import { announceQuestion } from '../raise-escalation.ts';
import { requestVerification } from '../verify-afresh.ts';

interface Trouble {
  at: string;
  /** The event with its figures. It continues "Waiting for you:". */
  headline: string;
  /** Where to look, and what to do. */
  why: string;
  log_url?: string;
  trigger: Pick<Trigger, 'guard' | 'threshold' | 'observed' | 'shown'>;
}

/** no job works for the run, and another one would not either, so a person is asked to look. */
export function askAboutJobs(
  state: RunState,
  { at, headline, why, log_url, trigger }: Trouble,
  rules: Rules,
): Decision {
  const escalation: Escalation = {
    id: `e${state.escalations.length + 1}`,
    type: 'external_blocker',
    status: 'pending',
    priority: 'high',
    headline,
    question: `${headline.charAt(0).toUpperCase()}${headline.slice(1)}. How to proceed?`,
    why,
    log_url,
    headers: ['External Blocker'],
    category: 'external_dependency',
    triggers: [{ ...trigger, kind: 'blocker_type', evidence: {} }],
    context: measureAtDesk(state, at, rules).context,
    inputs: [],
    hint: HINT,
    options: optionsFor(state),
    created_at: at,
    responses: [],
    reminders: 0,
    during_turn: false,
    rearm: [],
  };
  return announceQuestion(state, escalation, state.guards, at);
}

const HINT: Hint = {
  text: 'To continue with a hint for the agent',
  command: '/guide <what to do differently>',
  first: false,
};

function optionsFor({ turns, revision }: RunState): Option[] {
  const hasTurns = turns.length > (revision?.before.turns ?? 0);
  // V-1: in a round there is a pull request already.
  const round = revision?.head === undefined ? undefined : revision.number;
  const finish = 'finish with the turns that have ended, marked partial.';
  const stop = 'stop here; the branch is kept.';
  const stopRound = `end round ${round}; the pull request stays as it was before.`;
  return [
    option('continue', 'Continue', 'start a new job.'),
    option('pause', 'Pause', 'no reminders; decide later.'),
    ...(hasTurns ? [option('accept', 'Accept current', finish)] : []),
    option('review', 'Review', 'show the full history, then ask again.'),
    option('cancel', 'Cancel', round === undefined ? stop : stopRound),
  ];
}

function option(name: CommandName, label: string, description: string): Option {
  return { id: name, label, description, command: `/${name}` };
}

/** Commands that start another job, each with the status that it gives to the question. */
const STARTS: Partial<Record<CommandName, EscalationStatus>> = {
  continue: 'resolved',
  retry: 'resolved',
  guide: 'resolved',
  override: 'resolved_with_override',
  approve: 'resolved_with_approval',
};

/**
 * The answer to the question about jobs. The agent has asked nothing, so the command does what it does to a run that is paused
 * without a question, by the rule that `pausedRule` finds. Undefined: the command's own rule answers.
 */
export function answerJobs(
  { pending, ...given }: GivenAnswer,
  pausedRule: (name: CommandName) => (given: GivenCommand) => Decision,
): Decision | undefined {
  if (!isAboutJobs(pending)) return undefined;
  const { input } = given;
  const { name } = input.command;
  if (name === 'debug' || name === 'skip')
    return refuse(input, {
      title: "Nothing changed: this question is about the job, not about the agent's work.",
      detail: 'Start a new job with `/continue`.',
      suggestion: '/continue',
    });
  const status = STARTS[name];
  if (!status) return undefined;
  // Another try is another job.
  const { events, effects } = pausedRule(name === 'retry' ? 'continue' : name)(given);
  if (!events.some(({ type }) => type === 'answer_prepared')) return { events, effects };
  const resumed = askForVerification(given.state, { events, effects }, input.at, pending.log_url);
  return {
    events: [...resolveQuestion(pending, input, status), ...resumed.events],
    effects: [...closingEffects(pending), ...resumed.effects.filter(({ type }) => type !== 'update_status')],
  };
}

/** `/pause` was the answer to the question about jobs. A run that continues then needs the verification as it did before. */
export function verifyAgain(state: RunState, { events, effects }: Decision, at: string): Decision {
  const lost = state.paused?.lost_verification;
  const isResumed = events.some(({ type }) => type === 'answer_prepared');
  // It may have been asked for again, or have a result, since.
  if (!isResumed || lost === undefined || lost.attempt !== state.verifying) return { events, effects };
  return askForVerification(state, { events, effects }, at, lost.log_url);
}

/** The run still needs the verification whose ticket was used twice, unless the agent gets more to do first. */
function askForVerification(
  state: RunState,
  { events, effects }: Decision,
  at: string,
  log_url: string | undefined,
): Decision {
  const after = events.reduce<RunState>(evolve, state);
  if (after.verifying === undefined || after.job_live) return { events, effects };
  const again = requestVerification(after, at, { reason: 'its ticket was used twice', log_url });
  return {
    events: [...events, ...again.events],
    effects: [...withoutJob(effects), ...again.effects],
  };
}
