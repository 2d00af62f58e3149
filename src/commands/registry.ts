import { COMMAND_NAMES, type CommandName } from '../core/contracts/command.ts';
import { acceptCommand } from './spec/accept.ts';
import { approveCommand } from './spec/approve.ts';
import { cancelCommand } from './spec/cancel.ts';
import type { CommandSpec } from './spec/command-spec.ts';
import { continueCommand } from './spec/continue.ts';
import { debugCommand } from './spec/debug.ts';
import { guideCommand } from './spec/guide.ts';
import { helpCommand } from './spec/help.ts';
import { overrideCommand } from './spec/override.ts';
import { pauseCommand } from './spec/pause.ts';
import { provideCommand } from './spec/provide.ts';
import { retryCommand } from './spec/retry.ts';
import { reviewCommand } from './spec/review.ts';
import { skipCommand } from './spec/skip.ts';
import { statusCommand } from './spec/status.ts';
import { terminateCommand } from './spec/terminate.ts';

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
