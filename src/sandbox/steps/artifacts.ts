import { copyFileSync, existsSync, globSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';

/** Artifacts of runs, each a folder of plain files. */
export interface Artifacts {
  /** Keeps what the patterns name. Files are named relative to what the patterns have in common, as in Actions. */
  keep(run: RunOf, upload: Upload): string[];
  /** The folder of an artifact of this run, of this attempt or an earlier one. */
  find(run: RunOf, name: string): string | undefined;
}

interface RunOf {
  id: number;
  attempt: number;
}

interface Upload {
  name: string;
  /** One pattern per line. */
  path: string;
  from: string;
  withHidden: boolean;
  overwrite: boolean;
}

/** `onKept` may look into an artifact, or change it, before any job downloads it. */
export function createArtifacts(
  directory: string,
  onKept: (run: number, name: string, folder: string) => void,
): Artifacts {
  const folderOf = ({ id, attempt }: RunOf, name: string) => join(directory, `${id}.${attempt}`, name);
  return {
    keep(run, { name, path, from, withHidden, overwrite }) {
      const patterns = path
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean)
        .map((pattern) => resolve(from, pattern));
      const root = patterns.map(rootOf).reduce(commonOf, undefined);
      const files = [...new Set(patterns.flatMap((pattern) => filesOf(pattern)))].filter(
        (file) =>
          withHidden ||
          !relative(root ?? from, file)
            .split('/')
            .some((part) => part.startsWith('.')),
      );
      if (files.length === 0) return [];
      const folder = folderOf(run, name);
      if (existsSync(folder) && !overwrite)
        throw new Error(
          'Failed to CreateArtifact: (409) Conflict: an artifact with this name already exists',
        );
      for (const file of files) copy(file, join(folder, relative(root ?? from, file)));
      onKept(run.id, name, folder);
      return files;
    },
    find({ id, attempt }, name) {
      for (let at = attempt; at > 0; at -= 1) {
        const folder = folderOf({ id, attempt: at }, name);
        if (existsSync(folder)) return folder;
      }
      return undefined;
    },
  };
}

export function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const file of filesBelow(from)) copy(file, join(to, relative(from, file)));
}

/** Links are followed: an artifact has plain files only. */
function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

const WILD = /[*?[]/;

/** The folder that names in an artifact are relative to. */
function rootOf(pattern: string): string {
  const parts = pattern.split('/');
  const wild = parts.findIndex((part) => WILD.test(part));
  if (wild >= 0) return parts.slice(0, wild).join('/') || '/';
  return existsSync(pattern) && statSync(pattern).isDirectory() ? pattern : dirname(pattern);
}

function commonOf(one: string | undefined, other: string): string {
  let common = one ?? other;
  while (relative(common, other).startsWith('..')) common = dirname(common);
  return common;
}

function filesOf(pattern: string): string[] {
  const found = WILD.test(basename(pattern)) || WILD.test(pattern) ? globSync(pattern) : [pattern];
  return found.flatMap((path) => {
    if (!existsSync(path)) return [];
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => existsSync(path) && statSync(path).isFile());
}
