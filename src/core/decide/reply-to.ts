import type { Effect, Reply } from '../contracts/effect.ts';
import type { CommandInput } from '../contracts/input.ts';

export function replyTo(input: CommandInput, reply: Reply): Effect {
  return { type: 'reply', source: input.source, reply: withHidden(input, reply) };
}

/** S-2: the person who wrote the text may not know that others do not see all of it. */
function withHidden({ command }: CommandInput, reply: Reply): Reply {
  const hidden = 'hidden' in command ? command.hidden : undefined;
  if (hidden === undefined || reply.tone !== 'taken') return reply;
  const told =
    hidden === 1
      ? '1 hidden part or character was removed: GitHub does not show it, so the agent does not get it.'
      : `${hidden} hidden parts or characters were removed: GitHub does not show them, so the agent does not get them.`;
  return { ...reply, detail: [reply.detail, told].filter(Boolean).join(' ') };
}
