import type { GitHub, ReplacedFile } from '../core/ports/github-port.ts';
import type { Client } from './client/client.ts';

/** The paths that are written at or below one entry of a directory. */
interface Written {
  inPlace: boolean;
  below: string[];
}

export function createBaseTreeMethods({ request }: Client): Pick<GitHub, 'replacedFiles' | 'changedFiles'> {
  async function readTree(sha: string, recursive?: '1') {
    const { data } = await request('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', {
      tree_sha: sha,
      recursive,
    });
    return data;
  }

  /** Reads the tree recursively with one call. If that is truncated, it reads only directories that are written to. */
  async function look(sha: string, directory: string, paths: readonly string[]): Promise<ReplacedFile[]> {
    const { tree, truncated } = await readTree(sha, '1');
    if (truncated) return lookByDirectory(sha, directory, paths);
    const files = tree.filter(({ type }) => type !== 'tree').map(({ path }) => `${directory}${path}`);
    return findReplaced(files, paths);
  }

  async function lookByDirectory(
    sha: string,
    directory: string,
    paths: readonly string[],
  ): Promise<ReplacedFile[]> {
    const written = groupByName(directory, paths);
    const found: ReplacedFile[] = [];
    for (const { path: name, type, sha: entry } of (await readTree(sha)).tree) {
      const { inPlace, below } = written.get(name) ?? { inPlace: false, below: [] };
      const path = `${directory}${name}`;
      if (type !== 'tree') found.push(...below.map((by) => ({ path, by })));
      else if (inPlace) found.push(...(await filesBelow(entry, path)));
      else if (below.length > 0) found.push(...(await look(entry, `${path}/`, below)));
    }
    return found;
  }

  async function filesBelow(sha: string, by: string): Promise<ReplacedFile[]> {
    const { tree, truncated } = await readTree(sha, '1');
    const files = tree
      .filter(({ type }) => type !== 'tree')
      .map(({ path }) => ({ path: `${by}/${path}`, by }));
    // The listing is truncated, so the directory represents its files.
    return truncated ? [...files, { path: `${by}/`, by }] : files;
  }

  const treeOf = async (commit_sha: string) =>
    (await request('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', { commit_sha })).data.tree.sha;

  /** The entry at each path. Undefined if the listing is truncated. */
  async function listEntries(commit: string): Promise<Map<string, string> | undefined> {
    const { tree, truncated } = await readTree(await treeOf(commit), '1');
    if (truncated) return undefined;
    return new Map(
      tree.map(({ path, type, mode, sha }) => [path, type === 'tree' ? type : `${mode} ${sha}`]),
    );
  }

  return {
    async replacedFiles(commit, paths) {
      return paths.length === 0 ? [] : look(await treeOf(commit), '', paths);
    },
    async changedFiles(before, after) {
      const [old, now] = [await listEntries(before), await listEntries(after)];
      if (!old || !now) return undefined;
      const paths = new Set([...old.keys(), ...now.keys()]);
      return [...paths].filter((path) => old.get(path) !== now.get(path));
    },
  };
}

/** Files that are a directory of a written path, or have a written path as a directory. */
export function findReplaced(files: readonly string[], paths: readonly string[]): ReplacedFile[] {
  const written = new Set(paths);
  const below = new Map<string, string[]>();
  for (const path of paths) {
    for (const directory of directoriesOf(path)) {
      const known = below.get(directory);
      if (known) known.push(path);
      else below.set(directory, [path]);
    }
  }
  return files.flatMap((path) => {
    const inPlace = directoriesOf(path).find((directory) => written.has(directory));
    const replacing = inPlace === undefined ? (below.get(path) ?? []) : [inPlace];
    return replacing.map((by) => ({ path, by }));
  });
}

/** Outermost first. */
function directoriesOf(path: string): string[] {
  const found: string[] = [];
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
    found.push(path.slice(0, end));
  return found;
}

function groupByName(directory: string, paths: readonly string[]): Map<string, Written> {
  const written = new Map<string, Written>();
  for (const path of paths) {
    const end = path.indexOf('/', directory.length);
    const name = path.slice(directory.length, end < 0 ? undefined : end);
    const one = written.get(name) ?? { inPlace: false, below: [] };
    if (end < 0) one.inPlace = true;
    else one.below.push(path);
    written.set(name, one);
  }
  return written;
}
