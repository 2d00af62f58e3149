import { parse } from 'yaml';
import type { RepositoryFiles } from './repository-files.ts';

const LOCKFILES = {
  pnpm: ['pnpm-lock.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
  npm: ['package-lock.json', 'npm-shrinkwrap.json'],
} as const;
type PackageManager = keyof typeof LOCKFILES;
const MANAGERS = Object.keys(LOCKFILES) as PackageManager[];
/** Written into commands, so nothing but a version may match. */
const DECLARED = /^(?<name>npm|pnpm|yarn|bun)@(?<version>\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[\w.]{1,30})?)(?:\+|$)/;
const MAX_WORKSPACES = 200;

type Json = Record<string, unknown>;

/** The facts of a package.json at the top, for the checks and for the set-up. */
export interface NodeProject {
  /** Undefined if package.json cannot be read, which npm will say. */
  manifest?: Json;
  scripts: ReadonlyMap<string, string>;
  manager: PackageManager;
  /** As `packageManager` names it. */
  version?: string;
  /** The lockfile of the manager. */
  lockfile?: string;
  /** Lockfiles of other managers. */
  otherLockfiles: string[];
  /** Scripts of the packages of a workspace. */
  workspaces: ReadonlyMap<string, string>[];
  hasDependencies: boolean;
}

export function readNodeProject(files: RepositoryFiles): NodeProject | undefined {
  if (!files.exists('package.json')) return undefined;
  const manifest = readManifest(files, 'package.json');
  const declared = DECLARED.exec(readText(manifest?.packageManager))?.groups;
  const found = MANAGERS.filter((name) => LOCKFILES[name].some((file) => files.exists(file)));
  const manager = (declared?.name as PackageManager | undefined) ?? found[0] ?? 'npm';
  const workspaces = findWorkspaces(files, manifest ?? {});
  return {
    manifest,
    scripts: readScripts(manifest),
    manager,
    version: declared?.version,
    lockfile: LOCKFILES[manager].find((file) => files.exists(file)),
    otherLockfiles: found
      .filter((name) => name !== manager)
      .flatMap((name) => LOCKFILES[name].filter((file) => files.exists(file))),
    workspaces: workspaces.map((directory) => readScripts(readManifest(files, `${directory}/package.json`))),
    hasDependencies:
      workspaces.length > 0 ||
      ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'].some(
        (key) => Object.keys(readRecord(manifest?.[key])).length > 0,
      ),
  };
}

/** True for Yarn 2 and later, whose commands differ. */
export function isModernYarn(files: RepositoryFiles, { manager, version }: NodeProject): boolean {
  if (manager !== 'yarn') return false;
  return version === undefined ? files.exists('.yarnrc.yml') : !/^[01]\./.test(version);
}

/** Undefined if it is not there, or no JSON object. */
export function readManifest(files: RepositoryFiles, path: string): Json | undefined {
  try {
    const manifest: unknown = JSON.parse(files.read(path) ?? '');
    return isRecord(manifest) ? manifest : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function readScripts(manifest: Json | undefined): ReadonlyMap<string, string> {
  const entries = Object.entries(readRecord(manifest?.scripts));
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** Directories with a package.json. Only plain directories and `directory/*` are looked into. */
function findWorkspaces(files: RepositoryFiles, manifest: Json): string[] {
  const declared = isRecord(manifest.workspaces) ? manifest.workspaces.packages : manifest.workspaces;
  const patterns = [declared ?? readPnpmWorkspace(files)].flat().map(readText);
  const directories = patterns.flatMap((pattern) => {
    const [, directory = '', star] = /^(?:\.\/)?((?!\.)[\w./-]*?[\w-])(\/\*)?\/?$/.exec(pattern) ?? [];
    if (directory === '' || directory.includes('..')) return [];
    return star ? files.list(directory).map((name) => `${directory}/${name}`) : [directory];
  });
  return [...new Set(directories)]
    .filter((directory) => files.exists(`${directory}/package.json`))
    .slice(0, MAX_WORKSPACES);
}

function readPnpmWorkspace(files: RepositoryFiles): unknown {
  const text = files.read('pnpm-workspace.yaml');
  if (text === undefined) return [];
  try {
    // The parser's own check for repeated keys takes quadratic time.
    return readRecord(parse(text, { uniqueKeys: false, logLevel: 'silent' })).packages ?? [];
  } catch {
    // pnpm itself will say what is wrong with its file.
    return [];
  }
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function readRecord(value: unknown): Json {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
