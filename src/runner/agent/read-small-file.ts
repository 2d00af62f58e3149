import { readFileSync, statSync } from 'node:fs';

const MAX_BYTES = 1024 * 1024;

/** Undefined if the file cannot be read. The agent itself will report what is wrong with it. */
export function readSmallFile(path: string): string | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
