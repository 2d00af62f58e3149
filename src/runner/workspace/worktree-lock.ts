import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';

const MAX_TRIES = 100;

/** Who works in a worktree. */
const LockHolder = z.object({
  pid: z.number().int().positive(),
  startedAt: z.string(),
  run: z.string(),
  command: z.string(),
});
type LockHolder = z.infer<typeof LockHolder>;

const LockFile = LockHolder.extend({
  /** When the kernel started the process. It tells a process from a later one with the same pid. */
  born: z.string().optional(),
  token: z.string(),
});
type LockFile = z.infer<typeof LockFile>;

type Lock = { ok: true; release(): Promise<void> } | { ok: false; holder: LockHolder };

/**
 * Allows one run per worktree. A lock whose process is dead is taken over by creating a file named after its token, which only
 * one process can do, and by renaming that file over the dead lock. So two processes never both win, and none can remove the
 * lock of a living process, even if one of them is killed in the middle.
 */
export async function acquireLock(lockFile: string, holder: LockHolder): Promise<Lock> {
  await mkdir(dirname(lockFile), { recursive: true });
  const mine: LockFile = { ...holder, born: await readBirth(holder.pid), token: randomUUID() };
  const temporary = `${lockFile}.${mine.token}.new`;
  await writeFile(temporary, JSON.stringify(mine), { flag: 'wx', mode: 0o600 });
  try {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const { holder: living, free, dead } = await walkChain(lockFile);
      if (living !== undefined) return { ok: false, holder: LockHolder.parse(living) };
      const linked = await link(temporary, free).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return false;
          throw error;
        },
      );
      if (!linked) continue;
      // Another process may have renamed a file of the chain meanwhile. The lock is ours only if the chain now ends at it.
      if ((await walkChain(lockFile)).holder?.token !== mine.token) {
        await rm(free, { force: true });
        continue;
      }
      if (free !== lockFile) await rename(free, lockFile);
      for (const file of dead) if (file !== lockFile) await rm(file, { force: true });
      return { ok: true, release: () => releaseLock(lockFile, mine.token) };
    }
    throw new Error(
      `The lock ${lockFile} changed hands ${MAX_TRIES} times while it was asked for. Try again.`,
    );
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Undefined if no living process holds the lock. */
export async function lockHolder(lockFile: string): Promise<LockHolder | undefined> {
  const { holder } = await walkChain(lockFile);
  return holder && LockHolder.parse(holder);
}

async function releaseLock(lockFile: string, token: string): Promise<void> {
  if ((await readLock(lockFile))?.token === token) await rm(lockFile, { force: true });
}

async function walkChain(lockFile: string): Promise<{ holder?: LockFile; free: string; dead: string[] }> {
  const dead: string[] = [];
  let at = lockFile;
  for (let steps = 0; steps < MAX_TRIES; steps += 1) {
    const lock = await readLock(at);
    if (lock === undefined) return { free: at, dead };
    if (await isAlive(lock)) return { holder: lock, free: at, dead };
    dead.push(at);
    at = `${lockFile}.${lock.token}`;
  }
  throw new Error(`There are more than ${MAX_TRIES} dead locks beside ${lockFile}. Remove them.`);
}

async function readLock(file: string): Promise<LockFile | undefined> {
  try {
    const read = LockFile.safeParse(JSON.parse(await readFile(file, 'utf8')));
    if (read.success) return read.data;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Error(`${file} is not a lock of Autobuild. If no run is under way, remove it.`);
}

async function isAlive(lock: LockFile): Promise<boolean> {
  try {
    process.kill(lock.pid, 0);
  } catch (error) {
    // The process is alive and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return (await readBirth(lock.pid)) === lock.born;
}

/** Undefined without `/proc`, and for a process that has exited but was not yet waited for. */
async function readBirth(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name in parentheses may contain anything, so the fields are counted from its end.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields === undefined || fields[0] === 'Z' ? undefined : fields[19];
}
