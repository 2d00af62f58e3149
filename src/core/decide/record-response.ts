import { type SealedCommand, showCommand } from '../contracts/command.ts';
import type { Escalation } from '../contracts/escalation.ts';
import type { CommandInput } from '../contracts/input.ts';
import type { RunEvent } from '../contracts/run-event.ts';

/** E-18: adds the operator's answer to the record of the escalation. */
export function recordResponse(pending: Escalation, input: CommandInput): RunEvent {
  const { command, by, via, at } = input;
  return {
    type: 'response_recorded',
    at,
    escalation: pending.id,
    response: {
      response_type: command.name === 'guide' ? 'guidance' : command.name,
      command,
      content: contentOf(command),
      by,
      via,
      timestamp: at,
    },
  };
}

/** The verbatim text, the names of the values, or the command as it would be typed. Values never appear. */
function contentOf(command: SealedCommand): string {
  if ('text' in command) return command.text;
  if ('inputs' in command) return Object.keys(command.inputs).join(', ');
  return showCommand(command);
}
