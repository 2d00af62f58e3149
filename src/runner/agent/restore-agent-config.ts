import { readlink, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { lookInside, makeDirectories, pruneEmptyParents } from '../disk/inside-directory.ts';
import { readInside } from '../disk/read-inside.ts';
import { removeInside } from '../disk/set-aside.ts';
import { writeInside } from '../disk/write-inside.ts';
import type { RepositoryObjects } from '../workspace/repository-objects.ts';
import { type ConfigNames, configNamesOf, findAgentConfig, listAgentConfig } from './agent-config-paths.ts';

const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_FILES = 20_000;

/**
 * Makes the configuration files at the top equal to those of the commit, before this agent starts. Files that differ are
 * restored; files that the commit does not have are removed.
 */
export async function restoreAgentConfig(
  worktree: string,
  objects: Pick<RepositoryObjects, 'list' | 'blob'>,
  commit: string,
  agent: Agent | undefined,
): Promise<{ restored: string[]; removed: string[] }> {
  const names = configNamesOf(agent);
  // Includes other spellings found in the worktree, because the commit may have the file under that spelling.
  const searched = new Set([...names.atTop, ...(await findAgentConfig(worktree, names))]);
  const wanted = await objects.list(commit, [...searched]);
  if (wanted.size > MAX_FILES)
    throw new Error(
      `${commit} has ${wanted.size} agent configuration files; at most ${MAX_FILES} are restored.`,
    );
  const removed = await removeOthers(worktree, wanted, names);
  const restored: string[] = [];
  for (const [path, { mode, id }] of wanted) {
    const checked = checkWorktreePath(path);
    // A submodule has no content in this commit. Its directory was filled by the checkout or by setup steps.
    if (!checked.ok || mode === '160000') continue;
    const bytes = await objects.blob(id);
    if (await restore(worktree, path, mode, bytes)) restored.push(path);
  }
  return { restored, removed };
}

async function removeOthers(
  worktree: string,
  wanted: ReadonlyMap<string, unknown>,
  names: ConfigNames,
): Promise<string[]> {
  const removed: string[] = [];
  for (const path of await listAgentConfig(worktree, MAX_FILES, names)) {
    if (wanted.has(path)) continue;
    await removeInside(worktree, path);
    await pruneEmptyParents(worktree, path);
    removed.push(path);
  }
  return removed;
}

async function restore(worktree: string, path: string, mode: string, bytes: Buffer): Promise<boolean> {
  const { obstacle } = await lookInside(worktree, path);
  if (obstacle) await removeInside(worktree, obstacle.path);
  if (mode === '120000') {
    const target = bytes.toString('utf8');
    if ((await readlink(join(worktree, path)).catch(() => undefined)) === target) return false;
    await makeDirectories(worktree, dirname(path));
    await removeInside(worktree, path);
    await symlink(target, join(worktree, path));
    return true;
  }
  const executable = mode === '100755';
  const present = await readInside(worktree, path, MAX_FILE_BYTES);
  if (present.ok && present.bytes.equals(bytes) && ((present.mode & 0o100) !== 0) === executable)
    return false;
  await writeInside(worktree, path, { bytes, mode: executable ? 0o755 : 0o644 });
  return true;
}
