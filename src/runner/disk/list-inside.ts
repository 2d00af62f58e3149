import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lookInside, lstatIfThere } from './inside-directory.ts';

/**
 * Lists every file and symlink at or below `path` (checked, relative to `root`; empty for all of `root`). Symlinks are not
 * followed. `without` is a directory, with a trailing slash, that is not searched.
 */
export async function listInside(
  root: string,
  path: string,
  most: number,
  without?: string,
): Promise<string[]> {
  const found: string[] = [];
  const waiting = [path];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const stats = at === '' ? await lstatIfThere(root) : (await lookInside(root, at)).stats;
    if (!stats || (stats.isDirectory() && `${at}/` === without)) continue;
    if (!stats.isDirectory()) found.push(at);
    else for (const name of await readdir(join(root, at))) waiting.push(at === '' ? name : `${at}/${name}`);
    if (found.length + waiting.length > most)
      throw new Error(
        `${join(root, path)} holds more than ${most} files. Remove what does not belong there.`,
      );
  }
  return found.sort();
}
