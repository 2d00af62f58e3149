import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isGitName } from '../../core/work/worktree-path.ts';

/**
 * Lists the pipes, sockets and devices below `root`, except in git's own directories and at or below the paths of `without`. None is
 * opened, as that would wait for whoever is at the other end, and no symlink is followed.
 */
export async function listSpecial(root: string, without: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  const waiting = [''];
  for (let within = waiting.pop(); within !== undefined; within = waiting.pop()) {
    for (const entry of await readEntries(join(root, within))) {
      const path = within === '' ? entry.name : `${within}/${entry.name}`;
      if (isGitName(entry.name) || without.has(path)) continue;
      if (entry.isDirectory()) waiting.push(path);
      else if (!entry.isFile() && !entry.isSymbolicLink()) found.push(path);
    }
  }
  return found.sort();
}

/** Empty if the directory is gone, or may not be read. */
function readEntries(directory: string): Promise<Dirent[]> {
  return readdir(directory, { withFileTypes: true }).catch(() => []);
}
