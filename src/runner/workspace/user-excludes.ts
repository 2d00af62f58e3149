import { lstat, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const MAX_BYTES = 256 * 1024;

/** Read once and stored, before any agent has run, because an agent could write them later. */
export async function rememberUserExcludes(worktree: string, gitDir: string): Promise<string[]> {
  const file = join(gitDir, 'user-exclude');
  const known = await readSmall(file);
  if (known !== undefined) return known.split('\n');
  const excludes = await readUserExcludes(worktree);
  await writeFile(file, excludes.join('\n'));
  return excludes;
}

/** The user's own `info/exclude`, also of a linked worktree, whose `.git` is a file that names the directory. */
async function readUserExcludes(worktree: string): Promise<string[]> {
  const dotGit = join(worktree, '.git');
  const stats = await lstat(dotGit).catch(() => undefined);
  if (stats === undefined) return [];
  let dir = dotGit;
  if (stats.isFile()) {
    const named = /^gitdir: (.+)$/m.exec((await readSmall(dotGit)) ?? '')?.[1];
    if (named === undefined) return [];
    dir = resolve(worktree, named.trim());
  }
  const common = await readSmall(join(dir, 'commondir'));
  if (common !== undefined) dir = resolve(dir, common.trim());
  return (await readSmall(join(dir, 'info/exclude')))?.split('\n').filter((line) => line !== '') ?? [];
}

async function readSmall(file: string): Promise<string | undefined> {
  const stats = await stat(file).catch(() => undefined);
  if (stats === undefined || !stats.isFile() || stats.size > MAX_BYTES) return undefined;
  return readFile(file, 'utf8').catch(() => undefined);
}
