import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RepositoryFiles } from '../runner/checks/repository-files.ts';
import { readTextFile } from './read-text-file.ts';

const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

/** The files that show how a repository is checked. */
export function repositoryFiles(worktree: string): RepositoryFiles {
  return {
    exists: (path) => existsSync(join(worktree, path)),
    read(path) {
      const content = readTextFile(join(worktree, path), MAX_MANIFEST_BYTES);
      return 'text' in content ? content.text : undefined;
    },
    list(directory) {
      try {
        return readdirSync(join(worktree, directory)).sort();
      } catch {
        return [];
      }
    },
  };
}
