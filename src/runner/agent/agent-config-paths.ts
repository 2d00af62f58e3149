import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import { agentConfigFiles } from '../../agents/registry.ts';
import { listInside } from '../disk/list-inside.ts';

const OF_AGENTS = agentConfigFiles();

/** Names that agents read in every directory. Cursor and Windsurf have no agent file here, but a command may start them. */
const ANYWHERE: readonly string[] = [...OF_AGENTS.anywhere, '.cursor', '.cursorrules', '.windsurfrules'];
/** Names that agents, and the tools they call, read only at the top of a worktree. */
const AT_TOP: readonly string[] = [...OF_AGENTS.atTop, '.mcp.json', '.vscode/mcp.json', '.husky'];

/** Names of the files that an agent, or a program it starts, obeys without being asked to. */
export interface ConfigNames {
  /** Obeyed in every directory. Compared with case, because `docs/agents.md` is an ordinary page. */
  readonly anywhere: ReadonlySet<string>;
  readonly atTop: readonly string[];
  /** `atTop` after `fold`, because some agents ignore case at the top. */
  readonly folded: readonly string[];
  fold(path: string): string;
}

/** The names of all agents, for the copy that is made before it is known which agent starts. */
export const EVERY_NAME: ConfigNames = namesWith(OF_AGENTS.ordinary, true);

/**
 * The names to protect when this agent starts. They include those of the other agents, because one agent may start another.
 * Ordinary file names and other spellings are included only if this agent obeys them.
 */
export function configNamesOf(agent: Agent | undefined): ConfigNames {
  const { ordinary = [], ignoresCase = false } = agent?.configFiles ?? {};
  return namesWith(ordinary, ignoresCase);
}

function namesWith(ordinary: readonly string[], ignoresCase: boolean): ConfigNames {
  const anywhere = [...ANYWHERE, ...ordinary];
  const atTop = [...anywhere, ...AT_TOP];
  const fold = (path: string) => (ignoresCase ? path.toLowerCase() : path);
  return { anywhere: new Set(anywhere), atTop, folded: atTop.map(fold), fold };
}

/** Git worktrees that Claude Code creates. An agent that starts in this worktree obeys nothing in them. */
const CHECKOUTS = '.claude/worktrees/';

export function isAgentConfigPath(path: string, names: ConfigNames): boolean {
  if (path.startsWith(CHECKOUTS)) return false;
  const folded = names.fold(path);
  if (names.folded.some((top) => folded === top || folded.startsWith(`${top}/`))) return true;
  return path.split('/').some((name) => names.anywhere.has(name));
}

/** The paths of `atTop` that exist, as they are spelled. A symlink on the way is returned instead of the paths behind it. */
export async function findAgentConfig(worktree: string, names: ConfigNames): Promise<string[]> {
  const found = new Set<string>();
  let level = [''];
  while (level.length > 0) {
    const next: string[] = [];
    for (const directory of level) {
      for (const entry of await entriesOf(join(worktree, directory))) {
        const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
        const folded = names.fold(path);
        const isParent = names.folded.some((top) => top.startsWith(`${folded}/`));
        if (names.folded.includes(folded) || (isParent && entry.isSymbolicLink())) found.add(path);
        else if (isParent && entry.isDirectory()) next.push(path);
      }
    }
    level = next;
  }
  return [...found];
}

/** Configuration files at the top of the worktree, including those that git ignores. Symlinks are not followed. */
export async function listAgentConfig(worktree: string, most: number, names: ConfigNames): Promise<string[]> {
  const found: string[] = [];
  for (const top of await findAgentConfig(worktree, names)) {
    const paths = await listInside(worktree, top, most - found.length, CHECKOUTS);
    for (const path of paths) found.push(path);
  }
  return found;
}

/** Skipped, because they are large and hold none of the run's work. */
const NOT_WALKED = new Set(['.git', 'node_modules']);
const MAX_DEPTH = 20;
const MAX_DIRECTORIES = 20_000;

/**
 * Configuration files below the top, including those that git ignores. Symlinks are not followed. The search is breadth-first;
 * `complete` is false if there were too many directories to search them all.
 */
export async function listNestedConfig(
  worktree: string,
  most: number,
  { anywhere }: ConfigNames,
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
        if (anywhere.has(entry.name) && directory !== '') {
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

/** A directory that cannot be read counts as empty, because an agent cannot read it either. */
async function entriesOf(directory: string) {
  return readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES' || error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}
