import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';

/** A link is not followed, and a pipe is not waited for. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The first bytes of a file in a directory that somebody else filled. Undefined if it is no plain file in a plain directory, or
 * cannot be read. `isWhole` is false if the file has more.
 */
export function readPlainFile(
  file: string,
  maxBytes: number,
): { bytes: Buffer; isWhole: boolean } | undefined {
  let descriptor: number | undefined;
  try {
    if (!lstatSync(dirname(file)).isDirectory()) return undefined;
    descriptor = openSync(file, FLAGS);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return undefined;
    const bytes = Buffer.allocUnsafe(Math.min(stats.size, maxBytes));
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(descriptor, bytes, filled, bytes.length - filled, filled);
      if (count === 0) break;
      filled += count;
    }
    return { bytes: bytes.subarray(0, filled), isWhole: stats.size <= maxBytes };
  } catch {
    // Whatever the reason, there is nothing that can be used.
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
