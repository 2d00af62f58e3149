import type { CommandName } from '../../contracts/command.ts';
import type { CommandOf } from '../answer/given-command.ts';
import { acceptRule } from './accept.ts';
import { approveRule } from './approve.ts';
import { cancelRule } from './cancel.ts';
import type { CommandRule } from './command-rule.ts';
import { continueRule } from './continue.ts';
import { debugRule } from './debug.ts';
import { guideRule } from './guide.ts';
import { helpRule } from './help.ts';
import { overrideRule } from './override.ts';
import { pauseRule } from './pause.ts';
import { provideRule } from './provide.ts';
import { retryRule } from './retry.ts';
import { reviewRule } from './review.ts';
import { skipRule } from './skip.ts';
import { statusRule } from './status.ts';
import { terminateRule } from './terminate.ts';

/** The rule of every command, in the order of `/help`. */
export const COMMAND_RULES: { [Name in CommandName]: CommandRule<CommandOf<Name>> } = {
  provide: provideRule,
  continue: continueRule,
  guide: guideRule,
  override: overrideRule,
  approve: approveRule,
  retry: retryRule,
  debug: debugRule,
  skip: skipRule,
  review: reviewRule,
  accept: acceptRule,
  pause: pauseRule,
  cancel: cancelRule,
  terminate: terminateRule,
  status: statusRule,
  help: helpRule,
};
