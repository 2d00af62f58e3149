import type { CommandName } from '../../contracts/command.ts';
import { isFinished, pendingEscalation, type RunState } from '../../contracts/run-state.ts';
import type { Situation } from './command-rule.ts';
import { COMMAND_RULES } from './registry.ts';

/** The commands that make sense now. The options of an open question stand between the first and the last ones. */
export function sensibleCommands(state: RunState): CommandName[] {
  const pending = pendingEscalation(state);
  const situation = situationOf(state);
  const listed = (place: 'first' | 'last') =>
    (Object.keys(COMMAND_RULES) as CommandName[])
      .filter((name) => COMMAND_RULES[name].listed[situation] === place)
      .filter((name) => name !== 'provide' || pending?.inputs.length !== 0);
  const options = situation === 'asked' ? (pending?.options ?? []) : [];
  const offered = options.map(({ command }) => command.slice(1).split(' ')[0] as CommandName);
  return [...new Set([...listed('first'), ...offered, ...listed('last')])];
}

function situationOf(state: RunState): Situation {
  if (isFinished(state)) return 'ended';
  if (pendingEscalation(state)) return 'asked';
  return state.paused ? 'paused' : 'working';
}
