import type { Agent } from '../../agents/agent.ts';
import { worktreeProblem } from '../../agents/decoded-path.ts';
import { installCommand } from '../../agents/install-command.ts';
import { agentNamed } from '../../agents/registry.ts';
import { type UserError, userError } from '../../core/error-catalogue.ts';
import { missingKeys } from '../../runner/agent/agent-environment.ts';
import { findExecutable } from '../../runner/process/find-executable.ts';

interface AgentSearch {
  worktree: string;
  env: Record<string, string>;
}

/** Throws if the agent's program or key is missing, before anything is started. Returns the agent if it is built in. */
export function checkAgent(
  name: string,
  agents: Record<string, string[]>,
  search: AgentSearch,
): Agent | undefined {
  const problem = agentProblem(name, agents, search);
  if (problem) throw problem;
  return builtIn(name, agents);
}

/** Reports a missing program or key. An unknown agent name is reported elsewhere. */
export function agentProblem(
  name: string,
  agents: Record<string, string[]>,
  { worktree, env }: AgentSearch,
): UserError | undefined {
  const agent = builtIn(name, agents);
  const program = agents[name]?.[0] ?? agent?.program ?? name;
  const found = findExecutable(program, { cwd: worktree, path: env.PATH ?? '' });
  if ('problem' in found) {
    const install = found.missing && agent ? installCommand(agent) : undefined;
    const problem = install
      ? `The agent "${program}" was not found on the PATH. Install it with: ${install}`
      : found.problem;
    return userError('agent_not_startable', { problem });
  }
  const unreachable = agent && worktreeProblem(agent, worktree);
  if (unreachable) return userError('agent_not_startable', { problem: unreachable });
  const keys = agent && missingKeys(agent, env);
  return keys ? userError('agent_key_missing', { name, keys }) : undefined;
}

function builtIn(name: string, agents: Record<string, string[]>): Agent | undefined {
  return Object.hasOwn(agents, name) ? undefined : agentNamed(name);
}
