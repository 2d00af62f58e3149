import { createHash, randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isGitName } from '../../core/work/worktree-path.ts';

/**
 * What a git tree cannot or should not hold (huge or unreadable files, a planted `.git`, names that are no UTF-8) is held as
 * a stand-in: a small blob that says size and time, under the same name plus a mark. So everything that compares trees sees
 * it appear, change and go, and nothing that restores files ever mistakes it for content.
 */
export type StandInNames = {
  /** The name in the tree for a file of the worktree that is held by a stand-in. */
  encode(path: string): string;
  /** The file of the worktree that a name in the tree is for. */
  decode(name: string): string;
  isStandIn(name: string): boolean;
  clean(text: string): string;
};

/** The mark is drawn per directory, so that no file of an agent can be named to look like one. */
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
  };
}

/** Starts with NUL, so that git calls it binary and counts no lines of it. */
export function standInText(kind: string, stats?: BigIntStats): string {
  return `\0stand-in ${kind}${stats ? ` ${stats.size} bytes, ${stats.mtimeNs}` : ''}\n`;
}

/** The object name git gives to this content. */
export function blobName(content: string | Buffer): string {
  const bytes = Buffer.from(content as string);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
