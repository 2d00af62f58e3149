import { closeSync, readdirSync, readFileSync } from 'node:fs';

const O_CLOEXEC = 0o2000000;

/**
 * Closes files that whoever started this process left open in it, because the programs that it starts would have them, too, and no
 * box closes them. Node keeps back only those with low numbers, and its own. Not for a process that a parent talks to.
 */
export function closeInherited(): void {
  if (process.platform !== 'linux' || process.connected) return;
  for (const name of readdirSync('/proc/self/fd')) {
    const file = Number(name);
    if (file > 2 && isPassedOn(file)) closeQuietly(file);
  }
}

function isPassedOn(file: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    return false;
  }
}

function closeQuietly(file: number): void {
  try {
    closeSync(file);
  } catch {
    // The list itself was one of them.
  }
}
