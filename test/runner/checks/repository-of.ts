import type { RepositoryFiles } from '../../../src/runner/checks/repository-files.ts';

/** A repository of these files, in memory. */
export function repositoryOf(files: Record<string, string>): RepositoryFiles {
  const paths = Object.keys(files);
  return {
    exists: (path) => Object.hasOwn(files, path) || paths.some((file) => file.startsWith(`${path}/`)),
    read: (path) => (Object.hasOwn(files, path) ? files[path] : undefined),
    list(directory) {
      const prefix = directory === '.' ? '' : `${directory}/`;
      const inside = paths.filter((file) => file.startsWith(prefix));
      return [...new Set(inside.map((file) => file.slice(prefix.length).split('/')[0] ?? ''))].sort();
    },
  };
}
