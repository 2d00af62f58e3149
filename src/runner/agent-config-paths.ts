import { listInside } from './list-inside.ts';

/** What agents, and the tools they call, obey without being asked, at the top of a worktree. */
export const AGENT_CONFIG_PATHS: readonly string[] = [
  'AGENTS.md',
  'AGENTS.override.md',
  'CLAUDE.md',
  'CLAUDE.local.md',
  'GEMINI.md',
  '.claude',
  '.codex',
  '.copilot',
  '.gemini',
  '.opencode',
  '.cursor',
  '.cursorrules',
  '.windsurfrules',
  '.agents',
  '.mcp.json',
  '.vscode/mcp.json',
  'opencode.json',
  'opencode.jsonc',
  '.github/agents',
  '.github/copilot',
  '.github/copilot-instructions.md',
  '.github/hooks',
  '.github/instructions',
  '.github/prompts',
  '.github/skills',
  '.husky',
];

/** These are read in every directory an agent looks into. */
const ANYWHERE = new Set([
  'AGENTS.md',
  'AGENTS.override.md',
  'CLAUDE.md',
  'CLAUDE.local.md',
  'GEMINI.md',
  '.claude',
  '.cursor',
  '.cursorrules',
  '.windsurfrules',
]);

/** Whole checkouts that people keep there; nothing in them is obeyed from here. */
const CHECKOUTS = '.claude/worktrees/';

export function isAgentConfigPath(path: string): boolean {
  if (path.startsWith(CHECKOUTS)) return false;
  if (AGENT_CONFIG_PATHS.some((top) => path === top || path.startsWith(`${top}/`))) return true;
  return path.split('/').some((name) => ANYWHERE.has(name));
}

/** At the top of the worktree as it is now, also what git ignores. Links are not followed. */
export async function listAgentConfig(worktree: string, most: number): Promise<string[]> {
  const found: string[] = [];
  for (const top of AGENT_CONFIG_PATHS) {
    const paths = await listInside(worktree, top, most - found.length, CHECKOUTS);
    for (const path of paths) found.push(path);
  }
  return found;
}
