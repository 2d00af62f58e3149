import { isWithheld } from '../core/variable-name.ts';

export function jobEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && !isWithheld(name, { inActions: true })) kept[name] = value;
  return kept;
}
