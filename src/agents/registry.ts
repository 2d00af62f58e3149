import type { Agent, ConfigFiles } from './agent.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';

/** One line per agent CLI. */
export const AGENTS: Readonly<Record<string, Agent>> = {
  claude,
  codex,
  gemini,
  opencode,
  copilot,
};

/** Only own keys count, because names come from people and configuration, and `constructor` is no agent. */
export function agentNamed(name: string): Agent | undefined {
  return Object.hasOwn(AGENTS, name) ? AGENTS[name] : undefined;
}

export function agentNames(): string[] {
  return Object.keys(AGENTS);
}

/** Every file in a repository, or above it, that some agent obeys. */
export function agentConfigFiles(
  agents: Iterable<Agent> = Object.values(AGENTS),
): Omit<Required<ConfigFiles>, 'ignoresCase'> {
  const files = Array.from(agents, ({ configFiles = {} }) => configFiles);
  return {
    atTop: [...new Set(files.flatMap(({ atTop = [] }) => atTop))],
    anywhere: [...new Set(files.flatMap(({ anywhere = [] }) => anywhere))],
    ordinary: [...new Set(files.flatMap(({ ordinary = [] }) => ordinary))],
    above: [...new Set(files.flatMap(({ above = [] }) => above))],
  };
}

/**
 * Names and prefixes (`QWEN_*`) of the variables that open the models. Only agents get them, and nothing else that
 * runs.
 */
export function agentVariables(agents: Iterable<Agent> = Object.values(AGENTS)): string[] {
  const names = Array.from(agents).flatMap(({ name, keys = [], environment = [] }) => [
    `${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_*`,
    ...keys,
    ...environment.filter((entry) => entry.endsWith('*')),
  ]);
  return [...new Set(names)];
}
