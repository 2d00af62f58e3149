import type { CommandInput } from '../contracts/input.ts';
import type { Rules } from '../contracts/rules.ts';
import { isFinished, pendingEscalation, type RunState } from '../contracts/run-state.ts';
import type { CommandRule } from './commands/command-rule.ts';
import { COMMAND_RULES } from './commands/registry.ts';
import { sensibleCommands } from './commands/sensible-commands.ts';
import type { Decision } from './decision.ts';
import { clearPauseTimer } from './expiry.ts';

/** Finds the situation of the run; the rule of the command decides. */
export function decideCommand(state: RunState, input: CommandInput, rules: Rules): Decision {
  const { command } = input;
  const rule: CommandRule = COMMAND_RULES[command.name];
  const given = { state, input, command, rules, sensible: sensibleCommands(state) };
  if (isFinished(state)) return rule.ended(given);
  const pending = pendingEscalation(state);
  if (input.escalation && input.escalation !== pending?.id) return rule.late(given);
  if (pending) return rule.asked({ ...given, pending });
  const { events, effects } = state.paused ? rule.paused(given) : rule.working(given);
  return { events, effects: [...effects, ...clearPauseTimer(state, events)] };
}
