import { detectChecks } from '../../runner/checks/detect-checks.ts';
import type { RepositoryFiles } from '../../runner/checks/repository-files.ts';
import { LANGUAGES } from './languages/registry.ts';
import type { DetectedLanguage, SetUp, SetUpPart } from './set-up.ts';

/** More parts than this are more than a person would check. */
const MAX_PARTS = 4;
const MAX_DIRECTORIES = 100;
/** Directories that hold other people's code, or no code that is built. */
const NOT_OWN =
  /^(?:\.|node_modules$|vendor$|third_party$|docs?$|examples?$|fixtures?$|dist$|build$|target$)/;
/** Written into commands and into the workflow, so other names are left out. */
const PLAIN = /^[A-Za-z0-9][\w.-]*$/;

/** Finds what the jobs of a repository need, at its top or else in its directories. */
export function findSetUp(files: RepositoryFiles): SetUp {
  const atTop = detect(files);
  const checks = detectChecks(files);
  if (atTop.length > 0 || checks.length > 0) {
    const { notes, ...rest } = combine([{ found: atTop, checks }]);
    return { ...rest, notes: [...notes, ...noteOthers(files)] };
  }
  const parts = ownDirectories(files)
    .map((name) => within(files, name))
    .filter(({ found, checks: some }) => found.length > 0 || some.length > 0);
  const told =
    parts.length > MAX_PARTS ? [`Only ${MAX_PARTS} of ${parts.length} directories are set up.`] : [];
  const { notes, ...rest } = combine(parts.slice(0, MAX_PARTS));
  return { ...rest, notes: [...notes, ...told] };
}

function ownDirectories(files: RepositoryFiles): string[] {
  return files
    .list('.')
    .filter((name) => PLAIN.test(name) && !NOT_OWN.test(name))
    .slice(0, MAX_DIRECTORIES);
}

/** Directories in a language that the top does not have. A person decides whether a task there has to be verified. */
function noteOthers(files: RepositoryFiles): string[] {
  const others = LANGUAGES.filter((language) => !language(files));
  const found = ownDirectories(files).flatMap((name) =>
    others.flatMap((language) => {
      const [word] = language(below(files, name))?.summary.split(' (') ?? [];
      return word ? [`${word} in ${name}`] : [];
    }),
  );
  if (found.length === 0) return [];
  const more = found.length > MAX_PARTS ? ` and ${found.length - MAX_PARTS} more` : '';
  return [
    `Not set up: ${found.slice(0, MAX_PARTS).join(', ')}${more}. If tasks are about them, put their set-up into \`setup\` of the workflow (with an App, into steps of both jobs) and their checks into \`verify\`.`,
  ];
}

interface Found {
  found: DetectedLanguage[];
  checks: string[];
}

function detect(files: RepositoryFiles): DetectedLanguage[] {
  return LANGUAGES.flatMap((language) => language(files) ?? []);
}

function below(files: RepositoryFiles, directory: string): RepositoryFiles {
  return {
    exists: (path) => files.exists(`${directory}/${path}`),
    read: (path) => files.read(`${directory}/${path}`),
    list: (path) => files.list(path === '.' ? directory : `${directory}/${path}`),
  };
}

function within(files: RepositoryFiles, directory: string): Found {
  const inside = below(files, directory);
  return {
    found: detect(inside).map(({ summary, parts, notes }) => ({
      summary: `${summary} in ${directory}`,
      parts: parts.map((part) => movePart(part, directory)),
      notes: notes.map((note) => `${directory}: ${note}`),
    })),
    checks: detectChecks(inside).map((check) => `cd ${directory} && ${check}`),
  };
}

function movePart(part: SetUpPart, directory: string): SetUpPart {
  if (part.kind === 'command') return { ...part, directory };
  if (part.kind === 'cache') return { ...part, file: `${directory}/${part.file}` };
  const { version, cacheFile } = part;
  return {
    ...part,
    version: 'file' in version ? { file: `${directory}/${version.file}` } : version,
    ...(cacheFile !== undefined && { cacheFile: `${directory}/${cacheFile}` }),
    directory,
  };
}

function combine(places: Found[]): SetUp {
  const found = places.flatMap((place) => place.found);
  return {
    languages: found.map(({ summary }) => summary),
    parts: found.flatMap(({ parts }) => parts),
    checks: places.flatMap(({ checks }) => checks),
    notes: found.flatMap(({ notes }) => notes),
  };
}
