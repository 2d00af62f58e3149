import { type PythonProject, readPythonProject } from '../../../runner/checks/python-project.ts';
import type { RepositoryFiles } from '../../../runner/checks/repository-files.ts';
import type { DetectedLanguage, SetUpPart } from '../set-up.ts';
import { findVersion, toolVersions } from '../version-file.ts';

const INSTALL = {
  uv: 'uv sync --locked',
  poetry: 'poetry install --no-interaction',
  pipenv: 'pipenv sync --dev',
} as const;

export function detectPython(files: RepositoryFiles): DetectedLanguage | undefined {
  const project = readPythonProject(files);
  if (!project) return undefined;
  const found = findVersion(
    files,
    'Python',
    [
      {
        file: '.python-version',
        pattern: /^\s*(?:pypy|graalpy)?-?\d{1,2}(?:\.\d{1,3}){0,2}\S{0,20}\s*(?:\n|$)/,
      },
      { file: 'pyproject.toml', pattern: /^(?:requires-python|python)[ \t]*=[ \t]*["'][^"'\n]*\d/m },
      toolVersions('python'),
    ],
    '3.x',
  );
  const { manager } = project;
  // pipx is on GitHub's machines. Its programs have a Python of their own, so they can come before the repository's.
  const before: SetUpPart[] = manager ? [{ kind: 'command', run: `pipx install ${manager}` }] : [];
  const { commands, note } = manager
    ? { commands: [INSTALL[manager]], note: undefined }
    : installWithPip(files, project);
  return {
    summary: `Python (${found.words})${manager || commands.length > 0 ? ` with ${manager ?? 'pip'}` : ''}`,
    parts: [
      ...before,
      {
        kind: 'tool',
        tool: 'python',
        version: found.version,
        ...(commands.length > 0 && chooseCache(files, project)),
      },
      ...commands.map((run): SetUpPart => ({ kind: 'command', run })),
    ],
    notes: [...found.notes, ...(note ? [note] : [])],
  };
}

/** The action fails where nothing was downloaded, or nothing tells one cache from another. It knows no cache of uv. */
function chooseCache(
  files: RepositoryFiles,
  { manager, requirements }: PythonProject,
): { cache?: string; cacheFile?: string } {
  if (manager === 'uv') return {};
  if (manager) return { cache: manager, cacheFile: manager === 'poetry' ? 'poetry.lock' : 'Pipfile.lock' };
  const [first] = requirements;
  const file = first ?? ['pyproject.toml', 'setup.py'].find(files.exists);
  return file === undefined ? {} : { cache: 'pip', cacheFile: file };
}

function installWithPip(
  files: RepositoryFiles,
  { requirements, usesPytest }: PythonProject,
): { commands: string[]; note?: string } {
  const listed = requirements.map((file) => `-r ${file}`);
  const pyproject = files.read('pyproject.toml') ?? '';
  const isPackage = /^\[project\]/m.test(pyproject) || files.exists('setup.py');
  const extras = namedLists(section(pyproject, 'project.optional-dependencies'));
  const groups = namedLists(section(pyproject, 'dependency-groups')).map((name) => `--group ${name}`);
  const own = isPackage ? [`-e .${extras.length > 0 ? `[${extras.join(',')}]` : ''}`] : [];
  const all = [...listed, ...own, ...groups];
  const isPytestListed = [...requirements, 'pyproject.toml'].some((file) =>
    /^[ \t]*["']?pytest\b|["']pytest[\s<>=~!["']/m.test(files.read(file) ?? ''),
  );
  if (usesPytest && !isPytestListed) all.push('pytest');
  const note =
    usesPytest && !isPytestListed
      ? 'pytest is in no list of requirements, so its newest version is installed.'
      : undefined;
  return { commands: all.length > 0 ? [`pip install ${all.join(' ')}`] : [], note };
}

/** The lines of one table of a TOML file. */
function section(toml: string, name: string): string {
  const lines = toml.split('\n');
  const begin = lines.findIndex((line) => line.trim() === `[${name}]`);
  if (begin === -1) return '';
  const end = lines.findIndex((line, index) => index > begin && line.startsWith('['));
  return lines.slice(begin + 1, end === -1 ? undefined : end).join('\n');
}

/** Lists of a table that are meant for developers, by their usual names. */
function namedLists(table: string): string[] {
  return ['dev', 'test', 'tests', 'testing'].filter((name) =>
    new RegExp(`^${name}[ \\t]*=`, 'm').test(table),
  );
}
