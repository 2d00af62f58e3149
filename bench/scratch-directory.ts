import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A directory on the project's own disk, because the system's temporary directory may be in memory, where a sync costs
 * nothing.
 */
export async function withScratchDirectory<Result>(use: (path: string) => Promise<Result>): Promise<Result> {
  const path = await mkdtemp(join(import.meta.dirname, '../node_modules/.bench-'));
  try {
    return await use(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}
