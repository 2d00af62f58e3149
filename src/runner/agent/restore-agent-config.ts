import type { Agent } from '../../agents/agent.ts';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { pruneEmptyParents } from '../disk/inside-directory.ts';
import { removeInside } from '../disk/set-aside.ts';
import { writeCommitted } from '../disk/write-committed.ts';
import type { RepositoryObjects } from '../workspace/repository-objects.ts';
import { type ConfigNames, configNamesOf, findAgentConfig, listAgentConfig } from './agent-config-paths.ts';

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
    if (await writeCommitted(worktree, path, mode, bytes)) restored.push(path);
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
