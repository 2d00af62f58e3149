import type { Command, InputRef, SealedCommand } from '../contracts/command.ts';
import type { Vault } from '../ports/ports.ts';

/** P-4: values go to the vault before anything else sees the command, so that the journal gets references only. */
export async function sealCommand(vault: Vault, run: string, command: Command): Promise<SealedCommand> {
  if (!('inputs' in command)) return command;
  const inputs: Record<string, InputRef> = {};
  for (const [key, value] of Object.entries(command.inputs))
    inputs[key] = { ref: await vault.put(run, key, value), length: value.length };
  return { ...command, inputs };
}
