import { installCommand } from '../../agents/install-command.ts';
import { agentNamed, agentNames } from '../../agents/registry.ts';
import { nearestName } from '../../core/nearest-name.ts';
import { usage } from '../options.ts';
import type { PlannedAgent } from './blueprint.ts';

/** The agent that was named: a built-in one, or one of the repository's config. `key` names the variable of its key. */
export function planAgent(name: string, own: readonly string[], key?: string): PlannedAgent {
  const agent = own.includes(name) ? undefined : agentNamed(name);
  if (!agent && !own.includes(name)) {
    const known = [...own, ...agentNames()];
    const near = nearestName(name, known);
    throw usage(
      `There is no agent ${name}. ${near ? `Did you mean ${near}?` : `Known here: ${known.join(', ')}.`}`,
    );
  }
  const keys = agent?.keys ?? [];
  if (key !== undefined && !(agent ? keys.includes(key) : /^[A-Z][A-Z0-9_]{0,99}$/.test(key)))
    throw usage(
      keys.length > 0
        ? `${name} takes no key ${key}: name one of ${keys.join(', ')}.`
        : `--key takes the name of a variable, such as MODEL_API_KEY.`,
    );
  const chosen = key ?? keys[0];
  return {
    name,
    ...(agent && { install: installCommand(agent), version: agent.testedVersion, node: agent.node }),
    ...(chosen && { key: chosen }),
    otherKeys: keys.filter((other) => other !== chosen),
  };
}
