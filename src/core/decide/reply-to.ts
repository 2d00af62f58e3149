import type { Effect, Reply } from '../contracts/effect.ts';
import type { CommandInput } from '../contracts/input.ts';

export function replyTo(input: CommandInput, reply: Reply): Effect {
  return { type: 'reply', source: input.source, reply };
}
