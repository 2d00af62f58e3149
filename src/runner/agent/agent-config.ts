import { randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Agent } from '../../agents/agent.ts';
import { copyIn, copyOut, linkIn } from '../disk/copy-inside.ts';
import { pruneEmptyParents } from '../disk/inside-directory.ts';
import { listInside } from '../disk/list-inside.ts';
import { isSameState, type PathState, readPathState } from '../disk/path-state.ts';
import { removeInside } from '../disk/set-aside.ts';
import type { Tree } from '../workspace/tree-store.ts';
import type { Workspace } from '../workspace/workspace.ts';
import {
  type ConfigNames,
  configNamesOf,
  EVERY_NAME,
  isAgentConfigPath,
  listAgentConfig,
  listNestedConfig,
} from './agent-config-paths.ts';

const MAX_FILES = 20_000;
const MAX_NOTICES = 20;

const pathField = z.object({ path: z.string() });
/** A copy of a worktree path. Each copy has its own file in `stored`, so that deleting that file discards the copy. */
const Copy = z.discriminatedUnion('kind', [
  pathField.extend({
    kind: z.literal('file'),
    mode: z.number().int(),
    digest: z.string(),
    stored: z.string(),
  }),
  pathField.extend({ kind: z.literal('link'), target: z.string(), stored: z.string() }),
  pathField.extend({ kind: z.literal('none'), stored: z.string() }),
  /** The file cannot be read by this user, so it is not changed either. */
  pathField.extend({ kind: z.literal('unreadable'), stored: z.string() }),
]);
type Copy = z.infer<typeof Copy>;

const Apart = z.object({
  /** `placing`: no agent has started yet. `returning`: the copies are restored over whatever is in the worktree. */
  phase: z.enum(['placing', 'placed', 'returning']),
  copies: z.array(Copy),
  /** The paths among these that counted as changed by the run. */
  changed: z.array(z.string()),
});
type Apart = z.infer<typeof Apart>;

/** A file that the run changed, and that is moved out of the worktree while an agent runs. */
export interface SetApart {
  path: string;
  /** The run's version of it. */
  copy: string;
}

/** The run's version of a file: a copy of it and its mode, or nothing if the run deleted it. */
type VersionApart = { copy: string; mode: number } | 'deleted';

/**
 * The configuration files agents obey, as they were before the run. Every agent starts with these originals, so that no turn can
 * reprogram the next one. Versions that the run made are kept outside the worktree while an agent runs and restored afterwards,
 * because they are part of the result.
 */
export interface AgentConfig {
  /** Places the originals. Call it before every start of an agent, with the current tree and the paths changed in it. */
  place(agent: Agent | undefined, tree: Tree, changed: readonly string[]): Promise<SetApart[]>;
  /**
   * Restores the run's versions. Call it after every end of an agent, and first of all after a crash. If the agent wrote a file
   * in the meantime, its version stays; the earlier one is kept elsewhere, and the returned notices say where.
   */
  bringBack(): Promise<string[]>;
  /** False if the worktree has too many directories to search them all for ignored configuration files. */
  sawAll(): boolean;
  /** The changed paths as they would be if the run's versions were in the worktree. */
  countChanged(paths: string[]): Promise<string[]>;
  /** The run's version of a path that is set apart, unless the agent wrote the path since. */
  versionApart(path: string): Promise<VersionApart | undefined>;
}

/** `dir` is outside the worktree. The first call for a `dir` copies the originals, so it must come before any agent runs. */
export async function openAgentConfig(workspace: Workspace, dir: string): Promise<AgentConfig> {
  const { worktree } = workspace;
  const originals = new Map<string, Copy>();
  const apartFile = join(dir, 'apart.json');
  const apartDir = join(dir, 'apart');
  let apart = await readRecord(apartFile, Apart);
  let complete = true;
  let notices: string[] = [];

  const asPlaced = async (path: string): Promise<boolean> => {
    const state = await readPathState(worktree, path);
    if (state.kind === 'behind') {
      const obstacle = originals.get(state.obstacle);
      return obstacle !== undefined && isOriginal(await readPathState(worktree, state.obstacle), obstacle);
    }
    if (state.kind !== 'directory' || originals.has(path)) {
      return isOriginal(state, originals.get(path));
    }
    for (const inner of await listInside(worktree, path, MAX_FILES)) {
      if (!originals.has(inner)) return false;
      if (!isOriginal(await readPathState(worktree, inner), originals.get(inner))) return false;
    }
    return true;
  };
  const saveApart = async (next: Apart): Promise<void> => {
    await writeRecord(apartFile, next);
    apart = next;
  };
  const returnCopies = async (copies: readonly Copy[]): Promise<void> => {
    for (const { path } of copies) await discard(worktree, path);
    for (const copy of copies) await putIn(worktree, copy);
  };

  /** Keeps an earlier turn's version that the agent has overwritten, most likely without having seen it. */
  const keepReplaced = async (copy: Copy): Promise<void> => {
    const isFile = copy.kind === 'file' || copy.kind === 'link';
    if (!isFile || isSameState(await readPathState(worktree, copy.path), copy)) return;
    const kept = join(dir, 'replaced', randomUUID());
    await mkdir(join(dir, 'replaced'), { recursive: true, mode: 0o700 });
    await rename(copy.stored, kept);
    notices.push(`${copy.path} was rewritten during the turn. The version of an earlier turn is in ${kept}.`);
  };

  async function restoreApart(): Promise<void> {
    if (!apart || !lstatSync(worktree, { throwIfNoEntry: false })?.isDirectory()) return;
    if (apart.phase === 'placed') {
      const copies: Copy[] = [];
      for (const copy of apart.copies) {
        const kept = lstatSync(copy.stored, { throwIfNoEntry: false });
        if (!kept) continue;
        if (await asPlaced(copy.path)) copies.push(copy);
        else await keepReplaced(copy);
      }
      await saveApart({ ...apart, phase: 'returning', copies });
    }
    await returnCopies(apart.copies);
    await rm(apartFile, { force: true });
    await rm(apartDir, { recursive: true, force: true });
    apart = undefined;
  }

  /** Reads the directories and not git's index, because agents also obey files that git ignores. */
  async function listAll(names: ConfigNames): Promise<string[]> {
    const nested = await listNestedConfig(worktree, MAX_FILES, names);
    complete = nested.complete;
    return [...(await listAgentConfig(worktree, MAX_FILES, names)), ...nested.paths];
  }

  /** Returns the paths that differ from the originals, and the originals to restore there. */
  async function compare(
    names: ConfigNames,
    known: readonly string[],
  ): Promise<{ differing: Set<string>; missing: Copy[] }> {
    const listed = [...known, ...originals.keys()].filter((path) => isAgentConfigPath(path, names));
    const paths = [...(await listAll(names)), ...listed];
    const differing = new Set<string>();
    const missing: Copy[] = [];
    for (const path of new Set(paths)) {
      const original = originals.get(path);
      const state = await readPathState(worktree, path);
      if (isOriginal(state, original)) continue;
      if (state.kind === 'behind' && !original) continue;
      differing.add(state.kind === 'behind' ? state.obstacle : path);
      if (original) missing.push(original);
    }
    return { differing, missing };
  }

  async function placeOriginals(
    agent: Agent | undefined,
    tree: Tree,
    changedPaths: readonly string[],
  ): Promise<SetApart[]> {
    await restoreApart();
    // `changedPaths` also has files that an answer approved after the tree was recorded.
    const known = [...(await workspace.list(tree)), ...changedPaths];
    const { differing, missing } = await compare(configNamesOf(agent), known);
    if (differing.size === 0) return [];
    const changed = changedPaths.filter((path) => isAtOrBelow(path, differing));
    const copies = await copyAll(worktree, [...differing], apartDir);
    await saveApart({ phase: 'placing', copies, changed });
    for (const path of differing) await discard(worktree, path);
    for (const original of missing) await putIn(worktree, original);
    await saveApart({ phase: 'placed', copies, changed });
    return copies.map(({ path, stored }) => ({ path, copy: stored }));
  }

  async function takeOriginals(): Promise<void> {
    const file = join(dir, 'originals.json');
    let copies = await readRecord(file, z.array(Copy));
    if (!copies) {
      const tracked = await workspace.list(workspace.base());
      const listed = tracked.filter((path) => isAgentConfigPath(path, EVERY_NAME));
      const paths = new Set([...(await listAll(EVERY_NAME)), ...listed]);
      copies = await copyAll(worktree, [...paths], join(dir, 'originals'), { leaveUnreadable: true });
      await writeRecord(file, copies);
    }
    for (const copy of copies) if (copy.kind !== 'none') originals.set(copy.path, copy);
  }

  await mkdir(dir, { recursive: true, mode: 0o700 });
  await takeOriginals();
  return {
    place: placeOriginals,
    async bringBack() {
      await restoreApart();
      const due = notices;
      notices = [];
      return due.length <= MAX_NOTICES
        ? due
        : [...due.slice(0, MAX_NOTICES), `${due.length - MAX_NOTICES} more are kept beside it.`];
    },
    sawAll: () => complete,
    async countChanged(paths) {
      if (!apart) return paths;
      const hidden = new Set<string>();
      for (const { path } of apart.copies) if (await asPlaced(path)) hidden.add(path);
      const others = paths.filter((path) => !isAtOrBelow(path, hidden));
      return [...others, ...apart.changed.filter((path) => isAtOrBelow(path, hidden))].sort();
    },
    async versionApart(path) {
      const copy = apart?.copies.find((candidate) => candidate.path === path);
      if (!copy || !(await asPlaced(path))) return undefined;
      if (copy.kind === 'file') return { copy: copy.stored, mode: copy.mode };
      return copy.kind === 'none' ? 'deleted' : undefined;
    },
  };
}

function isOriginal(state: PathState, original: Copy | undefined): boolean {
  if (original?.kind === 'unreadable') return true;
  return isSameState(state, original ?? { kind: 'none' });
}

function isAtOrBelow(path: string, roots: ReadonlySet<string>): boolean {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    if (roots.has(at)) return true;
  }
  return false;
}

async function copyAll(
  worktree: string,
  paths: readonly string[],
  to: string,
  { leaveUnreadable = false } = {},
): Promise<Copy[]> {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true, mode: 0o700 });
  const copies: Copy[] = [];
  for (const [at, path] of paths.entries()) {
    const stored = join(to, String(at));
    let state = await readPathState(worktree, path);
    if (state.kind === 'unreadable' && !leaveUnreadable) {
      await chmod(join(worktree, path), 0o600);
      state = await readPathState(worktree, path);
    }
    if (state.kind === 'file') await copyOut(worktree, path, stored);
    else await writeFile(stored, state.kind === 'link' ? state.target : '', { mode: 0o600 });
    copies.push(copyOf(path, stored, state));
  }
  return copies;
}

function copyOf(path: string, stored: string, state: PathState): Copy {
  switch (state.kind) {
    case 'file':
    case 'link':
    case 'unreadable':
      return { path, stored, ...state };
    default:
      return { path, stored, kind: 'none' };
  }
}

async function putIn(worktree: string, copy: Copy): Promise<void> {
  if (copy.kind === 'file') await copyIn(worktree, copy.path, copy.stored, copy.mode);
  if (copy.kind === 'link') await linkIn(worktree, copy.path, copy.target);
}

async function discard(worktree: string, path: string): Promise<void> {
  await removeInside(worktree, path);
  await pruneEmptyParents(worktree, path);
}

async function readRecord<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): Promise<z.infer<Schema> | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return text === undefined ? undefined : schema.parse(JSON.parse(text));
}

/** Atomic, so that a crash leaves either the old record or the new one. */
async function writeRecord(file: string, record: unknown): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
