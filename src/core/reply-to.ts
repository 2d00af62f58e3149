import type { CommandInput } from './decide-command.ts';
import type { Effect, Reply } from './effect.ts';

export function replyTo(input: CommandInput, reply: Reply): Effect {
  return { type: 'reply', source: input.source, reply };
}
