import type { AgentEvent } from '../../core/contracts/agent-event.ts';

const ACKNOWLEDGEMENT_LENGTH = 300;

/** What an agent says or does first after an answer, in its own words (E-11). Empty: not a sign of that kind. */
export function acknowledgementIn(event: AgentEvent): string {
  return wordsOf(event).trim().slice(0, ACKNOWLEDGEMENT_LENGTH);
}

function wordsOf(event: AgentEvent): string {
  switch (event.type) {
    case 'text':
      return event.text;
    case 'tool_started':
    case 'action':
      return event.title ?? event.command ?? [event.kind, ...event.paths].join(' ');
    default:
      return '';
  }
}
