import { cleanLine } from '../../comments/text/clean-text.ts';
import { detectChecks } from '../../runner/checks/detect-checks.ts';
import type { RepositoryFiles } from '../../runner/checks/repository-files.ts';
import { quoteWord } from '../package/quote-word.ts';
import { LANGUAGES } from './languages/registry.ts';
import type { DetectedLanguage, SetUp, SetUpPart } from './set-up.ts';

/** More parts than this are more than a person would check. */
const MAX_PARTS = 4;
const MAX_DIRECTORIES = 100;
/** Directories that hold other people's code, or no code that is built. */
const NOT_OWN =
  /^(?:\.|node_modules$|vendor$|third_party$|docs?$|examples?$|fixtures?$|dist$|build$|target$)/;
/** Written into commands and into the workflow, so a directory with another name is only told. */
const PLAIN = /^[A-Za-z0-9](?:[\w. -]*[\w.-])?$/;
const NAME_CHARS = 80;

/** Finds what the jobs of a repository need: at its top, else in its directories, else in theirs, such as `apps/web`. */
export function findSetUp(files: RepositoryFiles): SetUp {
  const atTop = detect(files);
  const checks = detectChecks(files);
  if (atTop.length > 0 || checks.length > 0) {
    const { notes, ...rest } = combine([{ found: atTop, checks }]);
    return { ...rest, notes: [...notes, ...noteOthers(files)] };
  }
  const { names, notes: unseen } = chooseLevel(files);
  const parts = names
    .filter(isPlain)
    .map((name) => within(files, name))
    .filter(({ found, checks: some }) => found.length > 0 || some.length > 0);
  const told =
    parts.length > MAX_PARTS ? [`Only ${MAX_PARTS} of ${parts.length} directories are set up.`] : [];
  const { notes, ...rest } = combine(parts.slice(0, MAX_PARTS));
  return { ...rest, notes: [...notes, ...told, ...noteOdd(files, names), ...unseen] };
}

function chooseLevel(files: RepositoryFiles): Directories {
  const first = ownDirectories(files);
  const isFound = first.names.some((name) => detect(below(files, name)).length > 0);
  if (isFound) return first;
  const { names, notes } = ownDirectories(files, first.names);
  return { names, notes: [...first.notes, ...notes] };
}

interface Directories {
  names: string[];
  notes: string[];
}

/** The directories at the top, or those that are in others. */
function ownDirectories(files: RepositoryFiles, parents: readonly string[] = ['.']): Directories {
  const names = parents.flatMap((parent) =>
    files
      .list(parent)
      .filter((name) => !NOT_OWN.test(name))
      .map((name) => (parent === '.' ? name : `${parent}/${name}`))
      .filter((path) => files.list(path).length > 0),
  );
  const more = names.length - MAX_DIRECTORIES;
  return {
    names: names.slice(0, MAX_DIRECTORIES),
    notes: more > 0 ? [`${more} of ${names.length} directories were not looked into.`] : [],
  };
}

/** Directories that would be set up, were their names not such that nothing may be made of them. */
function noteOdd(files: RepositoryFiles, names: readonly string[]): string[] {
  const odd = names.filter((name) => !isPlain(name) && detect(below(files, name)).length > 0);
  if (odd.length === 0) return [];
  return [
    `Not set up, because of unusual characters in the name: ${listSome(odd.map(showName))}. ${ADD_YOURSELF}`,
  ];
}

/** Directories in a language that the top does not have. A person decides whether a task there has to be verified. */
function noteOthers(files: RepositoryFiles): string[] {
  const others = LANGUAGES.filter((language) => !language(files));
  const { names, notes } = ownDirectories(files);
  const found = names.flatMap((name) =>
    others.flatMap((language) => {
      const [word] = language(below(files, name))?.summary.split(' (') ?? [];
      return word ? [`${word} in ${showName(name)}`] : [];
    }),
  );
  return found.length === 0 ? notes : [`Not set up: ${listSome(found)}. ${ADD_YOURSELF}`, ...notes];
}

const ADD_YOURSELF =
  'If tasks are about them, put their set-up into `setup` of the workflow (with an App, into steps of both jobs) and their checks into `verify`.';

function listSome(items: readonly string[]): string {
  const more = items.length > MAX_PARTS ? ` and ${items.length - MAX_PARTS} more` : '';
  return `${items.slice(0, MAX_PARTS).join(', ')}${more}`;
}

function isPlain(path: string): boolean {
  return path.split('/').every((name) => PLAIN.test(name));
}

/** A name for a person's eyes. It may have been chosen by anybody. */
function showName(name: string): string {
  const text = cleanLine(name, NAME_CHARS);
  return /^[\w./-]+$/.test(text) ? text : JSON.stringify(text);
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
      summary: `${summary} in ${showName(directory)}`,
      parts: parts.map((part) => movePart(part, directory)),
      notes: notes.map((note) => `${directory}: ${note}`),
    })),
    checks: detectChecks(inside).map((check) => `cd ${quoteWord(directory)} && ${check}`),
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
