import { isWithheld } from '../core/variable-name.ts';
import { isInActions } from '../runner/checks/withheld-env.ts';

export function agentEnvironment(env: Record<string, string>): Record<string, string> {
  const inActions = isInActions(env);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isWithheld(name, { inActions })));
}
