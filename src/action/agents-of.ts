import type { Agent } from '../agents/agent.ts';
import { commandAgent } from '../agents/command.ts';
import { agentNamed } from '../agents/registry.ts';
import type { Config } from '../config/read-config.ts';

/** Agents of the config take precedence over built-in ones. */
export function agentsOf(config: Config): (name: string) => Agent | undefined {
  return (name) => {
    if (Object.hasOwn(config.agents, name)) return commandAgent(name, config.agents[name]?.command ?? []);
    return agentNamed(name);
  };
}
