import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { agentConfigFiles } from '../agents/registry.ts';
import { listInside } from './list-inside.ts';

const OF_AGENTS = agentConfigFiles();

/** Of agents that may be run by a command, and read in every directory an agent looks into. */
const ANYWHERE: ReadonlySet<string> = new Set([
  ...OF_AGENTS.anywhere,
  '.cursor',
  '.cursorrules',
  '.windsurfrules',
]);

/** What agents, and the tools they call, obey without being asked, at the top of a worktree. */
export const AGENT_CONFIG_PATHS: readonly string[] = [
  ...ANYWHERE,
  ...OF_AGENTS.atTop,
  '.mcp.json',
  '.vscode/mcp.json',
  '.husky',
];

const lowerCased = (names: Iterable<string>): string[] => Array.from(names, (name) => name.toLowerCase());
/** Some agents look for names without regard to case, and some file systems do. */
const ANYWHERE_LOWER: ReadonlySet<string> = new Set(lowerCased(ANYWHERE));
const AT_TOP_LOWER: readonly string[] = lowerCased(AGENT_CONFIG_PATHS);

/** Whole checkouts that people keep there; nothing in them is obeyed from here. */
const CHECKOUTS = '.claude/worktrees/';

export function isAgentConfigPath(path: string): boolean {
  if (path.startsWith(CHECKOUTS)) return false;
  const lower = path.toLowerCase();
  if (AT_TOP_LOWER.some((top) => lower === top || lower.startsWith(`${top}/`))) return true;
  return lower.split('/').some((name) => ANYWHERE_LOWER.has(name));
}

/** The places at the top that are there, as they are spelled. A link on the way stands for all that is behind it. */
export async function findAgentConfig(worktree: string): Promise<string[]> {
  const found = new Set<string>();
  let level = [''];
  while (level.length > 0) {
    const next: string[] = [];
    for (const directory of level) {
      for (const entry of await entriesOf(join(worktree, directory))) {
        const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
        const lower = path.toLowerCase();
        const leadsOn = AT_TOP_LOWER.some((top) => top.startsWith(`${lower}/`));
        if (AT_TOP_LOWER.includes(lower) || (leadsOn && entry.isSymbolicLink())) found.add(path);
        else if (leadsOn && entry.isDirectory()) next.push(path);
      }
    }
    level = next;
  }
  return [...found];
}

/** At the top of the worktree as it is now, also what git ignores. Links are not followed. */
export async function listAgentConfig(worktree: string, most: number): Promise<string[]> {
  const found: string[] = [];
  for (const top of await findAgentConfig(worktree)) {
    const paths = await listInside(worktree, top, most - found.length, CHECKOUTS);
    for (const path of paths) found.push(path);
  }
  return found;
}

/** Nothing in these is the run's work, and there is much of it. */
const NOT_WALKED = new Set(['.git', 'node_modules']);
const MAX_DEPTH = 20;
const MAX_DIRECTORIES = 20_000;

/**
 * Below the top, in every directory, also where git ignores it. Links are not followed. The directories nearest to the top come
 * first; `complete` is false when there were too many of them.
 */
export async function listNestedConfig(
  worktree: string,
  most: number,
): Promise<{ paths: string[]; complete: boolean }> {
  const paths: string[] = [];
  let level = [''];
  let left = MAX_DIRECTORIES;
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const directory of level) {
      left -= 1;
      if (left < 0) return { paths, complete: false };
      for (const entry of await entriesOf(join(worktree, directory))) {
        const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
        if (ANYWHERE_LOWER.has(entry.name.toLowerCase()) && directory !== '') {
          for (const found of await listInside(worktree, path, most - paths.length)) paths.push(found);
        } else if (entry.isDirectory() && !NOT_WALKED.has(entry.name) && `${path}/` !== CHECKOUTS) {
          next.push(path);
        }
      }
    }
    level = next;
  }
  return { paths, complete: level.length === 0 };
}

/** One that may not be entered holds nothing an agent could read. */
async function entriesOf(directory: string) {
  return readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES' || error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}
