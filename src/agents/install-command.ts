import type { Agent } from './agent.ts';

/** How the tested version comes onto a machine. */
export function installCommand({ npmPackage, testedVersion }: Agent): string | undefined {
  if (npmPackage === undefined) return undefined;
  return `npm install -g ${npmPackage}${testedVersion === undefined ? '' : `@${testedVersion}`}`;
}
