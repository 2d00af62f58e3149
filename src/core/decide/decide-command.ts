import type { CommandName } from '../contracts/command.ts';
import { isAboutJobs } from '../contracts/escalation.ts';
import type { CommandInput } from '../contracts/input.ts';
import type { Rules } from '../contracts/rules.ts';
import { pendingEscalation, phaseOf, type RunState } from '../contracts/run-state.ts';
import type { CommandRule, Situation } from './commands/command-rule.ts';
import { COMMAND_RULES } from './commands/registry.ts';
import type { Decision } from './decision.ts';
import { clearPauseTimer } from './expiry.ts';
import { answerJobs, verifyAgain } from './jobs/ask-about-jobs.ts';
import { answerRounds } from './revise/ask-about-rounds.ts';
import { answerRepeatedCi } from './revise/repeated-ci.ts';

/** Finds the situation of the run; the rule of the command decides. */
export function decideCommand(state: RunState, input: CommandInput, rules: Rules): Decision {
  const { command } = input;
  const rule: CommandRule = COMMAND_RULES[command.name];
  const given = { state, input, command, rules, sensible: sensibleCommands(state) };
  const phase = phaseOf(state);
  if (phase === 'resting' || phase === 'ended') return rule[phase](given);
  const pending = pendingEscalation(state);
  if (input.escalation && input.escalation !== pending?.id) return rule.late(given);
  if (pending) {
    const answer = { ...given, pending };
    return (
      answerRounds(answer) ?? answerRepeatedCi(answer) ?? answerJobs(answer, pausedRule) ?? rule.asked(answer)
    );
  }
  const { events, effects } = state.paused
    ? verifyAgain(state, rule.paused(given), input.at)
    : rule.working(given);
  return { events, effects: [...effects, ...clearPauseTimer(state, events)] };
}

function pausedRule(name: CommandName): CommandRule['paused'] {
  const rule: CommandRule = COMMAND_RULES[name];
  return rule.paused;
}

/** The commands that make sense now. The options of an open question are listed between the first and the last ones. */
export function sensibleCommands(state: RunState): CommandName[] {
  const pending = pendingEscalation(state);
  const situation = situationOf(state);
  const listed = (place: 'first' | 'last') =>
    (Object.keys(COMMAND_RULES) as CommandName[])
      .filter((name) => COMMAND_RULES[name].listed[situation] === place)
      .filter((name) => name !== 'provide' || pending?.inputs.length !== 0);
  const options = situation === 'asked' || situation === 'paused' ? (pending?.options ?? []) : [];
  const offered = options.map(({ command }) => command.slice(1).split(' ')[0] as CommandName);
  return [...new Set([...listed('first'), ...offered, ...listed('last')])];
}

function situationOf(state: RunState): Situation {
  const phase = phaseOf(state);
  if (phase === 'resting' || phase === 'ended') return phase;
  const pending = pendingEscalation(state);
  // To a question about jobs, the commands do what they do to a paused run.
  if (pending) return isAboutJobs(pending) ? 'paused' : 'asked';
  return state.paused ? 'paused' : 'working';
}
