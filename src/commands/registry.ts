import { COMMAND_NAMES, type CommandName } from '../core/contracts/command.ts';
import { approveCommand } from './spec/approve.ts';
import { bareCommands } from './spec/bare.ts';
import type { CommandSpec } from './spec/command-spec.ts';
import { continueCommand } from './spec/continue.ts';
import { provideCommand } from './spec/provide.ts';
import { textCommands } from './spec/text.ts';

/** The grammar of every command. */
export const COMMANDS: Record<CommandName, CommandSpec> = {
  provide: provideCommand,
  continue: continueCommand,
  ...textCommands,
  approve: approveCommand,
  ...bareCommands,
};

/** The command of exactly this name, in any case. */
export function findCommand(word: string): CommandSpec | undefined {
  const name = COMMAND_NAMES.find((known) => known === word.toLowerCase());
  return name && COMMANDS[name];
}
