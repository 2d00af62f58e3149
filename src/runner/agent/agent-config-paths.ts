import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import { agentConfigFiles } from '../../agents/registry.ts';
import { listInside } from '../disk/list-inside.ts';

const OF_AGENTS = agentConfigFiles();

/** Of agents that may be run by a command, and read in every directory an agent looks into. */
const ANYWHERE: readonly string[] = [...OF_AGENTS.anywhere, '.cursor', '.cursorrules', '.windsurfrules'];
/** At the top of a worktree, of agents and of the tools they call. */
const AT_TOP: readonly string[] = [...OF_AGENTS.atTop, '.mcp.json', '.vscode/mcp.json', '.husky'];

/** What is obeyed without being asked by the agent that starts, or by what it starts. */
export interface ConfigNames {
  /** In every directory, spelled so and not otherwise: `docs/agents.md` is a page like others. */
  readonly anywhere: ReadonlySet<string>;
  readonly atTop: readonly string[];
  /** The same as they are compared: at the top, some agents take any spelling. */
  readonly folded: readonly string[];
  fold(path: string): string;
}

/** Whichever agent starts: what has to be known before the first one does. */
export const EVERY_NAME: ConfigNames = namesWith(OF_AGENTS.ordinary, true);

/** Of all agents, as one may be started by another; ordinary names and other spellings only for those that heed them. */
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

/** Whole checkouts that people keep there; nothing in them is obeyed from here. */
const CHECKOUTS = '.claude/worktrees/';

export function isAgentConfigPath(path: string, names: ConfigNames): boolean {
  if (path.startsWith(CHECKOUTS)) return false;
  const folded = names.fold(path);
  if (names.folded.some((top) => folded === top || folded.startsWith(`${top}/`))) return true;
  return path.split('/').some((name) => names.anywhere.has(name));
}

/** The places at the top that are there, as they are spelled. A link on the way stands for all that is behind it. */
export async function findAgentConfig(worktree: string, names: ConfigNames): Promise<string[]> {
  const found = new Set<string>();
  let level = [''];
  while (level.length > 0) {
    const next: string[] = [];
    for (const directory of level) {
      for (const entry of await entriesOf(join(worktree, directory))) {
        const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
        const folded = names.fold(path);
        const leadsOn = names.folded.some((top) => top.startsWith(`${folded}/`));
        if (names.folded.includes(folded) || (leadsOn && entry.isSymbolicLink())) found.add(path);
        else if (leadsOn && entry.isDirectory()) next.push(path);
      }
    }
    level = next;
  }
  return [...found];
}

/** At the top of the worktree as it is now, also what git ignores. Links are not followed. */
export async function listAgentConfig(worktree: string, most: number, names: ConfigNames): Promise<string[]> {
  const found: string[] = [];
  for (const top of await findAgentConfig(worktree, names)) {
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

/** One that may not be entered holds nothing an agent could read. */
async function entriesOf(directory: string) {
  return readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES' || error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}
