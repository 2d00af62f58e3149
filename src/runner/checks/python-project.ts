import type { RepositoryFiles } from './repository-files.ts';

/** A program that installs the packages of a lockfile and runs commands with them. */
type PythonManager = 'uv' | 'poetry' | 'pipenv';

export interface PythonProject {
  /** Undefined for pip. */
  manager?: PythonManager;
  /** Files with requirements for pip, at the top. */
  requirements: string[];
  usesPytest: boolean;
  /** Where tests for the standard library's `unittest` are. The top is `.`. */
  unittestDirectory?: string;
}

const MANIFESTS = ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile'];
const PYTEST_FILES = ['pytest.ini', '.pytest.ini', 'tox.ini', 'conftest.py', 'tests/conftest.py'];
const MAX_TEST_FILES = 50;

export function readPythonProject(files: RepositoryFiles): PythonProject | undefined {
  const names = files.list('.');
  const isPython =
    [...MANIFESTS, ...PYTEST_FILES].some(files.exists) || names.some((name) => /^[\w-]+\.py$/.test(name));
  if (!isPython) return undefined;
  const requirements = names.filter((name) =>
    /^(?:requirements|(?:dev|test)-requirements)[\w.-]*\.txt$/.test(name),
  );
  const isMentioned = ['pyproject.toml', 'setup.cfg', 'Pipfile', ...requirements].some((file) =>
    files.read(file)?.includes('pytest'),
  );
  const configured = isMentioned || PYTEST_FILES.some(files.exists);
  const unittestDirectory = configured ? undefined : findUnittests(files);
  const conventional = files.exists('pyproject.toml') && (files.exists('tests') || files.exists('test'));
  return {
    manager: findManager(files),
    requirements,
    usesPytest: configured || (conventional && unittestDirectory === undefined),
    unittestDirectory,
  };
}

function findManager(files: RepositoryFiles): PythonManager | undefined {
  if (files.exists('uv.lock')) return 'uv';
  if (files.exists('poetry.lock')) return 'poetry';
  return files.exists('Pipfile.lock') ? 'pipenv' : undefined;
}

function findUnittests(files: RepositoryFiles): string | undefined {
  return ['tests', 'test', '.'].find((directory) =>
    files
      .list(directory)
      .filter((name) => /^test[\w-]*\.py$/.test(name))
      .slice(0, MAX_TEST_FILES)
      .some((name) =>
        /^[ \t]*(?:import|from) unittest\b/m.test(
          files.read(directory === '.' ? name : `${directory}/${name}`) ?? '',
        ),
      ),
  );
}
