import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

type TextFile = { text: string } | { problem: string; missing: boolean };

/**
 * Reads a file that a user named. It must be a regular text file within the limit, because a pipe would block and a
 * device may never end.
 */
export function readTextFile(file: string, maxBytes: number): TextFile {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) return unusable('it is a directory');
    if (!stats.isFile()) return unusable('it is not a regular file');
    if (stats.size > maxBytes) return unusable(`it has ${stats.size} bytes, at most ${maxBytes} are allowed`);
    const bytes = Buffer.alloc(stats.size);
    let length = 0;
    while (length < bytes.length) {
      const count = readSync(descriptor, bytes, length, bytes.length - length, length);
      if (count === 0) break;
      length += count;
    }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length)) };
  } catch (error) {
    if (error instanceof TypeError) return unusable('it is not UTF-8 text');
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { problem: 'there is no such file', missing: true };
    if (code === 'EACCES' || code === 'EPERM') return unusable('you may not read it');
    return unusable((error as Error).message);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function unusable(problem: string): TextFile {
  return { problem, missing: false };
}
