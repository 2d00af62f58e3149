import { TEXT_COMMANDS, type TextCommandName } from '../../core/contracts/command.ts';
import type { CommandSpec } from './command-spec.ts';

/** Commands whose argument is everything after the name, fenced blocks included. Their rows are in `TEXT_COMMANDS`. */
export const textCommands = Object.fromEntries(
  (Object.keys(TEXT_COMMANDS) as TextCommandName[]).map((name) => [name, textCommand(name)]),
) as Record<TextCommandName, CommandSpec>;

function textCommand(name: TextCommandName): CommandSpec {
  const usage = `/${name} <text>`;
  return {
    name,
    usage,
    ...TEXT_COMMANDS[name],
    takes: 'text',
    parse({ line, following, hidden }) {
      const text = `${line}\n${following}`.trim();
      if (text !== '') return { ok: true, command: { name, text, ...(hidden ? { hidden } : {}) } };
      return { ok: false, problem: `\`/${name}\` needs a text after it.`, suggestion: usage };
    },
  };
}
