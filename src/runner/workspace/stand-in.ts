import { createHash, randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isGitName } from '../../core/work/worktree-path.ts';

/**
 * Files that a git tree cannot or should not have (huge or unreadable files, a planted `.git`, names that are not UTF-8) are
 * represented by a stand-in: a small blob with size and time, under the same name plus a mark. A comparison of trees therefore
 * shows when such a file is added, changed or deleted, and code that restores files never mistakes the stand-in for content.
 */
export type StandInNames = {
  /** The name in the tree of the stand-in for a file of the worktree. */
  encode(path: string): string;
  /** The file of the worktree that a name in the tree belongs to. */
  decode(name: string): string;
  isStandIn(name: string): boolean;
  clean(text: string): string;
  /** The pathspec of everything but stand-ins. */
  others: string;
};

/** The mark is random for each git directory, so that an agent cannot name a file like a stand-in. */
export async function openStandInNames(gitDir: string): Promise<StandInNames> {
  const file = join(gitDir, 'stand-in-mark');
  const fresh = `.stand-in-${randomBytes(8).toString('hex')}`;
  const mark = await writeFile(file, fresh, { flag: 'wx', mode: 0o600 }).then(
    () => fresh,
    async () => (await readFile(file, 'utf8')).trim(),
  );
  const clean = (text: string) => text.replaceAll(mark, '');
  return {
    encode: (path) => {
      const names = path.split('/');
      return names
        .map((name, at) => (isGitName(name) || at === names.length - 1 ? name + mark : name))
        .join('/');
    },
    decode: clean,
    isStandIn: (name) => name.endsWith(mark),
    clean,
    others: `:(exclude)*${mark}`,
  };
}

/** Starts with NUL, so that git treats it as binary and counts no lines. */
export function standInText(kind: string, stats?: BigIntStats): string {
  return `\0stand-in ${kind}${stats ? ` ${stats.size} bytes, ${stats.mtimeNs}` : ''}\n`;
}

/** The object name git gives to this content. */
export function blobName(content: string | Buffer): string {
  const bytes = Buffer.from(content as string);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
