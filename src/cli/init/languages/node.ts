import { isModernYarn, type NodeProject, readNodeProject } from '../../../runner/checks/node-project.ts';
import type { RepositoryFiles } from '../../../runner/checks/repository-files.ts';
import { newestMajor } from '../newest-major.ts';
import type { DetectedLanguage, SetUpPart } from '../set-up.ts';
import { findVersion, toolVersions } from '../version-file.ts';

/** Used where the repository names none, and for agents where the repository has no Node.js. */
export const DEFAULT_NODE = '24';
const VERSION = /^\s*(?:v?\d{1,3}(?:\.(?:\d{1,5}|x)){0,2}|lts\/[\w*-]+|node|latest)\s*$/;

export function detectNode(files: RepositoryFiles): DetectedLanguage | undefined {
  const project = readNodeProject(files);
  if (!project) return undefined;
  const found = findVersion(
    files,
    'Node.js',
    [
      { file: '.nvmrc', pattern: VERSION },
      { file: '.node-version', pattern: VERSION },
      { file: 'package.json', pattern: nodeInManifest(project) ? /./ : /(?!)/ },
      toolVersions('node', 'nodejs'),
    ],
    DEFAULT_NODE,
  );
  return {
    summary: `Node.js (${found.words}) with ${describeManager(project)}`,
    parts: [
      ...installManager(files, project),
      {
        kind: 'tool',
        tool: 'node',
        version: found.version,
        newest: newestMajor(namedVersion(files, project, found.version)),
        ...chooseCache(files, project),
      },
      ...installPackages(files, project),
    ],
    notes: [...found.notes, ...notesOn(project)],
  };
}

/** The action fails where the manager has downloaded nothing. It knows no cache of Bun. */
function chooseCache(
  files: RepositoryFiles,
  { manager, lockfile, hasDependencies }: NodeProject,
): { cache?: string; cacheFile?: string } {
  if (!lockfile || !hasDependencies || manager === 'bun') return {};
  if (manager === 'pnpm' && !/^packages:/m.test(files.read(lockfile) ?? '')) return {};
  return { cache: manager, cacheFile: lockfile };
}

/** The keys of package.json that `actions/setup-node` reads, in its order. */
function nodeInManifest({ manifest }: NodeProject): unknown {
  const { volta, devEngines, engines } = (manifest ?? {}) as Record<
    string,
    Record<string, unknown> | undefined
  >;
  return volta?.node ?? nodeOf(devEngines?.runtime) ?? engines?.node;
}

/** One runtime, or a list of them. */
function nodeOf(runtime: unknown): unknown {
  const all = [runtime].flat() as ({ name?: unknown; version?: unknown } | undefined)[];
  const node = all.find((entry) => entry?.name === 'node');
  return node?.version;
}

/** The version as the file has it that the action will read. */
function namedVersion(
  files: RepositoryFiles,
  project: NodeProject,
  version: { file: string } | { value: string },
): string {
  if ('value' in version) return version.value;
  if (version.file === 'package.json') return String(nodeInManifest(project));
  const text = files.read(version.file) ?? '';
  if (version.file !== '.tool-versions') return text.trim();
  return /^node(?:js)?[ \t]+(\S+)/m.exec(text)?.[1] ?? '';
}

function describeManager({ manager, version }: NodeProject): string {
  return version === undefined ? manager : `${manager} ${version}`;
}

/** Before Node.js is set up, because its action asks the manager for the place of its cache. */
function installManager(files: RepositoryFiles, project: NodeProject): SetUpPart[] {
  const { manager, version } = project;
  if (manager === 'pnpm') return [npmInstall(`pnpm@${version ?? pnpmOf(files)}`)];
  if (manager === 'bun') return [npmInstall(`bun@${version ?? '1'}`)];
  const isInRepository = /^yarnPath:/m.test(files.read('.yarnrc.yml') ?? '');
  if (isModernYarn(files, project) && !isInRepository) return [{ kind: 'command', run: 'corepack enable' }];
  return [];
}

function npmInstall(name: string): SetUpPart {
  return { kind: 'command', run: `npm install -g ${name}` };
}

/** The newest pnpm that writes lockfiles of this format. */
function pnpmOf(files: RepositoryFiles): string {
  const [, format = '9'] = /^lockfileVersion:\s{0,9}'?(\d)/.exec(files.read('pnpm-lock.yaml') ?? '') ?? [];
  return { '5': '7', '6': '8' }[format] ?? '10';
}

function installPackages(files: RepositoryFiles, project: NodeProject): SetUpPart[] {
  const { manager, lockfile, hasDependencies } = project;
  if (!lockfile && !hasDependencies) return [];
  const isModern = isModernYarn(files, project);
  const locked = {
    npm: 'npm ci',
    pnpm: 'pnpm install --frozen-lockfile',
    yarn: isModern ? 'yarn install --immutable' : 'yarn install --frozen-lockfile',
    bun: 'bun install --frozen-lockfile',
  };
  // Without one of their own making, which would be part of the work.
  const free = {
    npm: 'npm install --no-package-lock',
    pnpm: 'pnpm install --no-lockfile',
    yarn: isModern ? 'yarn install' : 'yarn install --no-lockfile',
    bun: 'bun install --no-save',
  };
  return [{ kind: 'command', run: (lockfile ? locked : free)[manager] }];
}

function notesOn({
  manifest,
  manager,
  version,
  lockfile,
  otherLockfiles,
  hasDependencies,
}: NodeProject): string[] {
  const notes: string[] = [];
  if (!manifest) notes.push('package.json is not valid JSON, so its scripts are not known.');
  if (otherLockfiles.length > 0) {
    const why = version === undefined ? '' : ' because package.json names it';
    const remove = `Remove ${otherLockfiles.join(' and ')}, or name the right one as \`packageManager\` in package.json.`;
    notes.push(`There are lockfiles of several package managers; ${manager} is used${why}. ${remove}`);
  } else if (!lockfile && hasDependencies)
    notes.push(`There is no lockfile, so each job may install other versions: commit the one of ${manager}.`);
  return notes;
}
