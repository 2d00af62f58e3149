import { runDeskPart } from '../../src/desk.ts';
import type { PartInProcess } from '../../src/sandbox/steps/machine.ts';

const HERE = new Set(['desk', 'deliver']);

/** The desk in the process of the test. The parts that run code of the repository have processes of their own. */
export function runPartHere(part: string, { env, print }: PartInProcess): Promise<boolean> | undefined {
  return HERE.has(part) ? runDeskPart(env, print) : undefined;
}
