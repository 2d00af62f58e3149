import type { InputRef } from '../contracts/command.ts';
import type { Vault } from '../ports/ports.ts';

/** P-4: from here on the values are known by reference. */
export async function sealInputs(
  vault: Vault,
  run: string,
  given: readonly (readonly [key: string, value: string])[],
): Promise<Record<string, InputRef>> {
  const inputs: Record<string, InputRef> = {};
  for (const [key, value] of given)
    inputs[key] = { ref: await vault.put(run, key, value), length: value.length };
  return inputs;
}
