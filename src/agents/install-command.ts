import type { Agent } from './agent.ts';

/** The command that installs the tested version. */
export function installCommand({
  npmPackage,
  testedVersion,
}: Pick<Agent, 'npmPackage' | 'testedVersion'>): string | undefined {
  if (npmPackage === undefined) return undefined;
  return `npm install -g ${npmPackage}${testedVersion === undefined ? '' : `@${testedVersion}`}`;
}
