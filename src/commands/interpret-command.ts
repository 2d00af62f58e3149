import { type CommandName, provideForm } from '../core/contracts/command.ts';
import { tidyWords } from './reading/words.ts';
import { COMMANDS } from './registry.ts';
import type { CommandSpec, CommandText, ParsedText } from './spec/command-spec.ts';

const MAX_SUGGESTION = 200;

/** Parses the arguments of a command whose name is certain. */
export function interpretCommand(spec: CommandSpec, args: CommandText): ParsedText {
  const parsed = spec.parse(args);
  if (parsed.ok) return { kind: 'command', command: parsed.command };
  const { ok: _, ...misread } = parsed;
  return { kind: 'reply', ...misread };
}

/** The line that was probably meant, without values and free text, because these must not be repeated. */
export function suggestLine(name: CommandName, args: CommandText): string {
  const spec = COMMANDS[name];
  if (spec.takes === 'text') return spec.usage;
  const parsed = spec.parse(args);
  if (!parsed.ok) return parsed.suggestion ?? spec.example;
  if (parsed.command.name === 'provide') {
    const keys = Object.keys(parsed.command.inputs);
    return keys.length === 0 ? spec.usage : provideForm(keys);
  }
  const line = `/${name} ${spec.takes === 'words' ? tidyWords(args.line) : ''}`.trim();
  return line.length <= MAX_SUGGESTION && !line.includes('`') ? line : spec.example;
}
