import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { matchesPattern } from '../../core/work/path-pattern.ts';
import { copyIn } from '../disk/copy-inside.ts';
import { lookInside, lstatIfThere } from '../disk/inside-directory.ts';
import { listInside } from '../disk/list-inside.ts';
import { writeInside } from '../disk/write-inside.ts';

const MAX_FILES = 20_000;
const MAX_BYTES = 1024 * 1024 * 1024;

/** The directory that holds the settings and conversations of the run's agents. */
export function agentHomeOf(runDir: string): string {
  return join(runDir, 'agent-home');
}

/**
 * Replaces the home with a new one that has only the files matched by the globs and those that `fill` writes, because the agent
 * can write into its home and its next start obeys what is there. An interrupted renewal can be repeated: the old home is kept
 * until the new one is complete. Returns the problem if something could not be kept.
 */
export async function renewAgentHome(
  home: string,
  globs: readonly string[],
  fill: () => Promise<string | undefined> = async () => undefined,
): Promise<string | undefined> {
  const old = `${home}.old`;
  const gone = `${home}.gone`;
  await removeTree(gone);
  if (await lstatIfThere(old)) await removeTree(home);
  else if (await lstatIfThere(home)) await rename(home, old);
  await mkdir(home, { recursive: true, mode: 0o700 });
  const problem = await copyMatching(old, home, globs).then(
    fill,
    (error: unknown) => (error as Error).message,
  );
  if (await lstatIfThere(old)) {
    await rename(old, gone);
    await removeTree(gone);
  }
  return problem;
}

/** Copies regular files only, because a symlink could point anywhere. */
export async function copyMatching(from: string, to: string, globs: readonly string[]): Promise<void> {
  if (globs.length === 0 || !(await lstatIfThere(from))?.isDirectory()) return;
  let left = MAX_BYTES;
  for (const path of await listInside(from, '', MAX_FILES)) {
    if (!globs.some((glob) => matchesPattern(glob, path))) continue;
    const { stats } = await lookInside(from, path);
    if (!stats?.isFile()) continue;
    left -= stats.size;
    if (left < 0) throw new Error(`The conversations in ${from} have more than ${MAX_BYTES} bytes.`);
    await copyIn(to, path, join(from, path), 0o600);
  }
}

export async function writeHomeFiles(home: string, files: { path: string; text: string }[]): Promise<void> {
  for (const { path, text } of files)
    await writeInside(home, path, { bytes: Buffer.from(text), mode: 0o600 });
}

/** Removes a tree even if it has directories without read or write permission. */
export async function removeTree(path: string): Promise<void> {
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 3 });
  await remove().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
    await openDirectories(path);
    await remove();
  });
}

async function openDirectories(path: string): Promise<void> {
  const waiting = [path];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    await chmod(at, 0o700);
    for (const entry of await readdir(at, { withFileTypes: true }))
      if (entry.isDirectory()) waiting.push(join(at, entry.name));
  }
}

/** Deletes the conversations at the end of a run, because they contain everything the agent read, including secrets. */
export async function removeConversations(runDir: string): Promise<void> {
  const home = agentHomeOf(runDir);
  for (const directory of [home, `${home}.old`, `${home}.gone`, `${home}.export`])
    await removeTree(directory);
}
