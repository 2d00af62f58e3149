import type { Command, InputRef, SealedCommand } from '../core/contracts/command.ts';
import type { Vault } from '../core/ports/ports.ts';

/** Values go to the vault before anything else sees the command: the journal gets references (P-4). */
export async function sealCommand(command: Command, run: string, vault: Vault): Promise<SealedCommand> {
  if (command.name !== 'provide') return command;
  const inputs: Record<string, InputRef> = {};
  for (const [key, value] of Object.entries(command.inputs)) {
    inputs[key] = { ref: await vault.put(run, key, value), length: value.length };
  }
  return { name: 'provide', inputs };
}

/** A command as it may be shown: names of values, never the values. */
export function showCommand(command: Command): string {
  switch (command.name) {
    case 'provide':
      return `/provide ${Object.keys(command.inputs)
        .map((key) => `${key}=…`)
        .join(' ')}`;
    case 'guide':
    case 'override':
      return `/${command.name} ${command.text}`;
    case 'continue': {
      const { turns, minutes, new_approach, agent } = command;
      const words = [
        turns && `+${turns}`,
        minutes && `+${minutes}min`,
        new_approach && 'new-approach',
        agent && `agent=${agent}`,
      ];
      return ['/continue', ...words.filter(Boolean)].join(' ');
    }
    case 'approve': {
      const { files, paths } = command;
      return ['/approve', files && `files=${files}`, paths && `paths=${paths.join(',')}`]
        .filter(Boolean)
        .join(' ');
    }
    default:
      return `/${command.name}`;
  }
}
