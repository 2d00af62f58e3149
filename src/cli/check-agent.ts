import type { Agent } from '../agents/agent.ts';
import { agentNamed } from '../agents/registry.ts';
import { userError } from '../core/error-catalogue.ts';
import { findExecutable } from '../runner/find-executable.ts';

/** What would keep the agent from working is said before anything is started. Returns the agent when it is built in. */
export function checkAgent(
  name: string,
  agents: Record<string, string[]>,
  { worktree, env }: { worktree: string; env: Record<string, string> },
): Agent | undefined {
  const builtIn = agents[name] ? undefined : agentNamed(name);
  const found = findExecutable(agents[name]?.[0] ?? name, { cwd: worktree, path: env.PATH ?? '' });
  if ('problem' in found) throw userError('agent_not_startable', { problem: found.problem });
  const keys = builtIn?.keys ?? [];
  if (keys.length > 0 && !keys.some((key) => env[key])) throw userError('agent_key_missing', { name, keys });
  return builtIn;
}
