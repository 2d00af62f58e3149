import type { AgentEvent } from '../../core/contracts/agent-event.ts';

const ACKNOWLEDGEMENT_LENGTH = 300;

/** The text that acknowledges an answer: the first thing an agent says or does after it (E-11). Empty for other events. */
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
