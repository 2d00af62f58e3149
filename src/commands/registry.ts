import { COMMAND_NAMES, type CommandName } from '../core/contracts/command.ts';
import { acceptCommand } from './accept.ts';
import { approveCommand } from './approve.ts';
import { cancelCommand } from './cancel.ts';
import type { CommandSpec } from './command-spec.ts';
import { continueCommand } from './continue.ts';
import { debugCommand } from './debug.ts';
import { guideCommand } from './guide.ts';
import { helpCommand } from './help.ts';
import { overrideCommand } from './override.ts';
import { pauseCommand } from './pause.ts';
import { provideCommand } from './provide.ts';
import { retryCommand } from './retry.ts';
import { reviewCommand } from './review.ts';
import { skipCommand } from './skip.ts';
import { statusCommand } from './status.ts';
import { terminateCommand } from './terminate.ts';

/** Every command, one line each; the type demands all of them. */
export const COMMANDS: Record<CommandName, CommandSpec> = {
  provide: provideCommand,
  continue: continueCommand,
  guide: guideCommand,
  override: overrideCommand,
  approve: approveCommand,
  retry: retryCommand,
  debug: debugCommand,
  skip: skipCommand,
  accept: acceptCommand,
  review: reviewCommand,
  pause: pauseCommand,
  cancel: cancelCommand,
  terminate: terminateCommand,
  status: statusCommand,
  help: helpCommand,
};

/** The command of exactly this name, in any case. */
export function findCommand(word: string): CommandSpec | undefined {
  const name = COMMAND_NAMES.find((known) => known === word.toLowerCase());
  return name && COMMANDS[name];
}
