import type { CommandName } from '../contracts/command.ts';
import type { Escalation } from '../contracts/escalation.ts';
import type { CommandInput } from '../contracts/input.ts';
import type { RunEvent } from '../contracts/run-event.ts';

const RESPONSE_TYPES: Partial<Record<CommandName, string>> = { guide: 'guidance' };

/** What the operator said, on the escalation's record (E-18). */
export function recordResponse(pending: Escalation, input: CommandInput): RunEvent {
  const { command, by, via, at } = input;
  return {
    type: 'response_recorded',
    at,
    escalation: pending.id,
    response: {
      response_type: RESPONSE_TYPES[command.name] ?? command.name,
      command,
      content: contentOf(command),
      by,
      via,
      timestamp: at,
    },
  };
}

/** The text as given, the names of what was given, or the command as it would be typed; never a value. */
function contentOf(command: CommandInput['command']): string {
  switch (command.name) {
    case 'guide':
    case 'override':
      return command.text;
    case 'provide':
      return Object.keys(command.inputs).join(', ');
    case 'continue':
      return typed('/continue', [
        command.turns && `+${command.turns}`,
        command.minutes && `+${command.minutes}min`,
        command.new_approach && 'new-approach',
        command.agent && `agent=${command.agent}`,
      ]);
    case 'approve':
      return typed('/approve', [
        command.files && `files=${command.files}`,
        command.paths && `paths=${command.paths.join(',')}`,
      ]);
    default:
      return `/${command.name}`;
  }
}

function typed(name: string, options: (string | number | boolean | undefined)[]): string {
  return [name, ...options.filter(Boolean)].join(' ');
}
