import { randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Agent } from '../../agents/agent.ts';
import { pruneEmptyParents } from '../disk/inside-directory.ts';
import { listInside } from '../disk/list-inside.ts';
import { removeInside } from '../disk/set-aside.ts';
import { copyIn, copyOut, isSameStanding, linkIn, type Standing, standingAt } from '../disk/standing.ts';
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
const MAX_TOLD = 20;

const place = z.object({ path: z.string() });
/** A copy of what stood at a path. Each has a file of its own, so that deleting the file gives the copy up. */
const Copy = z.discriminatedUnion('kind', [
  place.extend({ kind: z.literal('file'), mode: z.number().int(), digest: z.string(), stored: z.string() }),
  place.extend({ kind: z.literal('link'), target: z.string(), stored: z.string() }),
  place.extend({ kind: z.literal('none'), stored: z.string() }),
  /** Not ours to read, so not ours to touch. */
  place.extend({ kind: z.literal('unreadable'), stored: z.string() }),
]);
type Copy = z.infer<typeof Copy>;

const Apart = z.object({
  /** placing: no agent has started yet. returning: what is listed comes back, whatever stands there. */
  phase: z.enum(['placing', 'placed', 'returning']),
  copies: z.array(Copy),
  /** What counted as changed at these places. */
  changed: z.array(z.string()),
});
type Apart = z.infer<typeof Apart>;

/** A file of the run that is out of the agent's sight while it runs. */
export interface SetApart {
  path: string;
  /** The run's version of it. */
  copy: string;
}

/**
 * The files agents obey, as they were before the run. An agent starts with these, so that no turn reprograms the next one; what
 * the run made of them is set apart meanwhile, on disk, and comes back afterwards: it is part of the result.
 */
export interface AgentConfig {
  /** To be called before every start of an agent, with the worktree as it is and what is changed in it. */
  place(agent: Agent | undefined, tree: Tree, changed: readonly string[]): Promise<SetApart[]>;
  /**
   * To be called after every end, and first thing after a crash. What the agent wrote since wins over what was set apart; the
   * latter is kept, and the user is told where, a line each.
   */
  bringBack(): Promise<string[]>;
  /** False: the worktree has more directories than are looked into for what git ignores. */
  sawAll(): boolean;
  /** Changed paths, as if nothing were set apart. */
  countChanged(paths: string[]): Promise<string[]>;
}

/** `dir` is outside the worktree. The first call for it takes the originals: no agent may have run yet. */
export async function openAgentConfig(workspace: Workspace, dir: string): Promise<AgentConfig> {
  const { worktree } = workspace;
  const originals = new Map<string, Copy>();
  const apartFile = join(dir, 'apart.json');
  const apartDir = join(dir, 'apart');
  let apart = await readRecord(apartFile, Apart);
  let complete = true;
  let untold: string[] = [];

  const asPlaced = async (path: string): Promise<boolean> => {
    const standing = await standingAt(worktree, path);
    if (standing.kind === 'behind') {
      const obstacle = originals.get(standing.obstacle);
      return obstacle !== undefined && isOriginal(await standingAt(worktree, standing.obstacle), obstacle);
    }
    if (standing.kind !== 'directory' || originals.has(path)) {
      return isOriginal(standing, originals.get(path));
    }
    for (const inner of await listInside(worktree, path, MAX_FILES)) {
      if (!originals.has(inner)) return false;
      if (!isOriginal(await standingAt(worktree, inner), originals.get(inner))) return false;
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

  /** An earlier turn's version that the agent wrote over, most likely without having seen it. */
  const keepReplaced = async (copy: Copy): Promise<void> => {
    const isFile = copy.kind === 'file' || copy.kind === 'link';
    if (!isFile || isSameStanding(await standingAt(worktree, copy.path), copy)) return;
    const kept = join(dir, 'replaced', randomUUID());
    await mkdir(join(dir, 'replaced'), { recursive: true, mode: 0o700 });
    await rename(copy.stored, kept);
    untold.push(
      `${copy.path} was written anew during the turn. What an earlier turn had made of it is in ${kept}.`,
    );
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

  /** Whatever git knows or ignores: agents look into the directories themselves. */
  async function listAll(names: ConfigNames): Promise<string[]> {
    const nested = await listNestedConfig(worktree, MAX_FILES, names);
    complete = nested.complete;
    return [...(await listAgentConfig(worktree, MAX_FILES, names)), ...nested.paths];
  }

  /** Which paths differ from the originals, and which originals are missing for it. */
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
      const standing = await standingAt(worktree, path);
      if (isOriginal(standing, original)) continue;
      if (standing.kind === 'behind' && !original) continue;
      differing.add(standing.kind === 'behind' ? standing.obstacle : path);
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
    // What an answer allowed since the tree was taken is in the other list.
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
      const told = untold;
      untold = [];
      return told.length <= MAX_TOLD
        ? told
        : [...told.slice(0, MAX_TOLD), `${told.length - MAX_TOLD} more are kept beside it.`];
    },
    sawAll: () => complete,
    async countChanged(paths) {
      if (!apart) return paths;
      const hidden = new Set<string>();
      for (const { path } of apart.copies) if (await asPlaced(path)) hidden.add(path);
      const others = paths.filter((path) => !isAtOrBelow(path, hidden));
      return [...others, ...apart.changed.filter((path) => isAtOrBelow(path, hidden))].sort();
    },
  };
}

function isOriginal(standing: Standing, original: Copy | undefined): boolean {
  if (original?.kind === 'unreadable') return true;
  return isSameStanding(standing, original ?? { kind: 'none' });
}

function isAtOrBelow(path: string, places: ReadonlySet<string>): boolean {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    if (places.has(at)) return true;
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
    let standing = await standingAt(worktree, path);
    if (standing.kind === 'unreadable' && !leaveUnreadable) {
      await chmod(join(worktree, path), 0o600);
      standing = await standingAt(worktree, path);
    }
    if (standing.kind === 'file') await copyOut(worktree, path, stored);
    else await writeFile(stored, standing.kind === 'link' ? standing.target : '', { mode: 0o600 });
    copies.push(copyOf(path, stored, standing));
  }
  return copies;
}

function copyOf(path: string, stored: string, standing: Standing): Copy {
  switch (standing.kind) {
    case 'file':
    case 'link':
    case 'unreadable':
      return { path, stored, ...standing };
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

/** Whole or not at all. */
async function writeRecord(file: string, record: unknown): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
