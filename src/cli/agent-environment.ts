import { isWithheld } from '../runner/withheld-env.ts';

export function agentEnvironment(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isWithheld(name)));
}
