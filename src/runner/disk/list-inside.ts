import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lookInside, lstatIfThere } from './inside-directory.ts';

/**
 * Every file and link at or below `path` (checked, relative to `root`; empty: all of it), links not followed; a link to a
 * directory is one entry. `without`: a directory, with its slash, that is not looked into.
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
