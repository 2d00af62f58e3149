import { BARE_COMMANDS, type BareCommand, type BareCommandName } from '../../core/contracts/command.ts';
import { tidyWords } from '../reading/words.ts';
import type { CommandSpec } from './command-spec.ts';

/** Commands without arguments. Their rows are in `BARE_COMMANDS`. */
export const bareCommands = Object.fromEntries(
  (Object.keys(BARE_COMMANDS) as BareCommandName[]).map((name) => [name, bareCommand(name)]),
) as Record<BareCommandName, CommandSpec>;

function bareCommand(name: BareCommandName): CommandSpec {
  const { summary, mayBeAsked }: BareCommand = BARE_COMMANDS[name];
  const form = `/${name}`;
  const punctuation = mayBeAsked ? /^[\s.,;:!?…]*$/u : /^[\s.,;:!…]*$/u;
  return {
    name,
    usage: form,
    summary,
    example: form,
    takes: 'nothing',
    parse({ line }) {
      if (punctuation.test(tidyWords(line))) return { ok: true, command: { name } };
      return { ok: false, problem: `\`${form}\` takes no arguments.`, suggestion: form };
    },
  };
}
