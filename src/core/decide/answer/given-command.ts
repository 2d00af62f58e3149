import type { CommandName, SealedCommand } from '../../contracts/command.ts';
import type { Escalation } from '../../contracts/escalation.ts';
import type { CommandInput } from '../../contracts/input.ts';
import type { Rules } from '../../contracts/rules.ts';
import type { RunState } from '../../contracts/run-state.ts';

export type CommandOf<Name extends CommandName> = Extract<SealedCommand, { name: Name }>;

/** A command and everything its rule may look at. */
export interface GivenCommand<Command extends SealedCommand = SealedCommand> {
  state: RunState;
  input: CommandInput;
  /** The input's command, narrowed to its name. */
  command: Command;
  rules: Rules;
  /** The commands that make sense now, for `/help` and `/status`. */
  sensible: CommandName[];
}

/** A command given while a question is open. */
export interface GivenAnswer<Command extends SealedCommand = SealedCommand> extends GivenCommand<Command> {
  pending: Escalation;
}
