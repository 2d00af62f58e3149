import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

/** Positions in `/proc/self/stat`, counted from the field behind the program's name. */
const [ENV_START, ENV_END] = [47, 48];
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Removes variables from this process, and from the memory that others see in `/proc/<pid>/environ`: deleting a variable leaves
 * its value there. False where that memory cannot be written.
 */
export function forgetEnvironment(env: NodeJS.ProcessEnv, isKept: (name: string) => boolean): boolean {
  for (const name of Object.keys(env)) if (!isKept(name)) delete env[name];
  try {
    overwrite(isKept);
    return true;
  } catch {
    return false;
  }
}

function overwrite(isKept: (name: string) => boolean): void {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [start, end] = [Number(fields[ENV_START]), Number(fields[ENV_END])];
  if (!(start > 0 && end > start && end - start <= MAX_BYTES)) throw new Error('no environment is shown');
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    const bytes = Buffer.alloc(end - start);
    readSync(memory, bytes, 0, bytes.length, start);
    for (let from = 0; from < bytes.length; ) {
      const to = bytes.indexOf(0, from);
      const entry = bytes.subarray(from, to < 0 ? bytes.length : to);
      const [name = ''] = entry.toString('utf8').split('=', 1);
      if (entry.length > 0 && !isKept(name))
        writeSync(memory, Buffer.alloc(entry.length), 0, entry.length, start + from);
      from += entry.length + 1;
    }
  } finally {
    closeSync(memory);
  }
}
