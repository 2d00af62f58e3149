import type { SealedCommand } from '../../contracts/command.ts';
import type { Reply } from '../../contracts/effect.ts';

/** The reply to an answer: what changes for the reader. `grants`: what any answer to the question allows, as "5 more turns". */
export function acknowledge(command: SealedCommand, grants?: string): Reply {
  const named = command.name === 'continue' ? amounts(command) : '';
  const allowed = grants && !named ? `This allows ${grants}.` : undefined;
  return { tone: 'taken', title: titleOf(command, named), detail: allowed };
}

function titleOf(command: SealedCommand, named: string): string {
  switch (command.name) {
    case 'continue': {
      const by = command.agent ? ` with ${command.agent}` : '';
      return `Continuing${by}${named && `, ${named}`}.`;
    }
    case 'guide':
      return 'Guidance sent to the agent.';
    case 'override':
      return 'New instructions sent to the agent.';
    case 'approve':
      return 'Approved.';
    case 'retry':
      return 'Retrying.';
    case 'debug':
      return 'Debugging: one turn to find the root cause.';
    case 'skip':
      return 'Skipped: listed as a known issue.';
    default:
      return `Done: /${command.name}.`;
  }
}

function amounts({ turns, minutes }: { turns?: number; minutes?: number }): string {
  const more = (amount: number, one: string) => `${amount} more ${one}${amount === 1 ? '' : 's'}`;
  return [turns && more(turns, 'turn'), minutes && more(minutes, 'minute')].filter(Boolean).join(' and ');
}
