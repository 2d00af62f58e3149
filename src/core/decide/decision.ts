import type { Effect, Reply } from '../contracts/effect.ts';
import type { RunEvent } from '../contracts/run-event.ts';

export interface Decision {
  events: RunEvent[];
  effects: Effect[];
}

export const NOTHING: Decision = { events: [], effects: [] };

/** Refuses a command: the refusal is journalled, and the reply names the right form. */
export function refuse(
  input: { at: string; by: string; source?: string; command: { name: string } },
  reply: Omit<Reply, 'tone'>,
): Decision {
  return {
    events: [
      {
        type: 'command_refused',
        at: input.at,
        command: input.command.name,
        by: input.by,
        reason: reply.title,
      },
    ],
    effects: [{ type: 'reply', source: input.source, reply: { tone: 'refused', ...reply } }],
  };
}
