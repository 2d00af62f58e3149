import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Files by which a step tells the runner something that later steps obey. */
export const COMMAND_FILES = [
  'GITHUB_ENV',
  'GITHUB_PATH',
  'GITHUB_OUTPUT',
  'GITHUB_STATE',
  'GITHUB_STEP_SUMMARY',
] as const;

interface CommandFiles {
  revert(): string[];
}

/**
 * Remembers the runner's command files, which an agent without a box can write. The first `revert` restores them and returns
 * the names of those that had changed; later ones do nothing, because this program itself writes there at the end.
 */
export function watchCommandFiles(env: Readonly<Record<string, string | undefined>>): CommandFiles {
  const files = COMMAND_FILES.flatMap((name) => {
    const path = env[name];
    return path ? [{ name, path, before: readIfThere(path) }] : [];
  });
  let isDone = false;
  return {
    revert: () => {
      if (isDone) return [];
      isDone = true;
      return files.flatMap(({ name, path, before }) => {
        if (isUnchanged(path, before)) return [];
        // Removed first, because what stands there now may be a link to elsewhere.
        rmSync(path, { recursive: true, force: true });
        // Nothing is written through a link that a process put here since.
        if (before !== undefined) writeFileSync(path, before, { flag: 'wx' });
        return [name];
      });
    },
  };
}

/** A link or a pipe is a change, whatever it leads to: it would be read, or waited for, after this look. */
function isUnchanged(path: string, before: Buffer | undefined): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (before === undefined || stats === undefined) return before === undefined && stats === undefined;
  return (
    stats.isFile() && stats.nlink === 1 && stats.size === before.length && readFileSync(path).equals(before)
  );
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  }
}

export function describeReverted(name: string): string {
  return `${name} was written while the agent or the checks ran. It is as it was before: later steps see nothing of it.`;
}
