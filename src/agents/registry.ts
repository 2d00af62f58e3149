import type { Agent } from './agent.ts';
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

/** Names come from people and configuration: `constructor` is none. */
export function agentNamed(name: string): Agent | undefined {
  return Object.hasOwn(AGENTS, name) ? AGENTS[name] : undefined;
}

export function agentNames(): string[] {
  return Object.keys(AGENTS);
}
