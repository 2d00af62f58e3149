import type { Agent } from '../agents/agent.ts';
import { commandAgent } from '../agents/command.ts';
import { agentNamed } from '../agents/registry.ts';
import type { Config } from '../config/read-config.ts';

/** The config's own agents come before the ones that are built in. */
export function agentsOf(config: Config): (name: string) => Agent | undefined {
  return (name) => {
    if (Object.hasOwn(config.agents, name)) return commandAgent(name, config.agents[name]?.command ?? []);
    return agentNamed(name);
  };
}
