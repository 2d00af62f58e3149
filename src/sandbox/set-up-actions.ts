import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

interface SetUpPlace {
  /** The directory of the job, for its tools. */
  home: string;
  workspace: string;
  /** GITHUB_PATH: directories that the next steps find programs in. */
  pathFile: string;
  /** The machine's PATH. */
  path: string;
}

/** The programs that a set-up action brings, and the inputs that name a file. */
const SET_UP: Readonly<Record<string, { programs: readonly string[]; files: readonly string[] }>> = {
  'actions/setup-node': {
    programs: ['node', 'npm', 'npx', 'corepack'],
    files: ['node-version-file', 'cache-dependency-path'],
  },
  'actions/setup-python': {
    programs: ['python3', 'python', 'pip3', 'pip'],
    files: ['python-version-file', 'cache-dependency-path'],
  },
};

export function isSetUpAction(name: string): boolean {
  return Object.hasOwn(SET_UP, name);
}

/**
 * Does the work of a set-up action with the programs of this machine, whatever version they are: nothing is downloaded, and
 * nothing is kept between jobs.
 */
export function setUpTool(name: string, inputs: Record<string, string>, place: SetUpPlace): string {
  const { programs, files } = SET_UP[name] ?? { programs: [], files: [] };
  for (const input of files) {
    const file = inputs[input];
    // The real actions fail, too.
    if (file !== undefined && !existsSync(join(place.workspace, file)))
      throw new Error(`${name}: the file ${file} of ${input} is not there.`);
  }
  const directory = join(place.home, 'tools', name.replace('/', '-'));
  mkdirSync(directory, { recursive: true });
  const found = programs.flatMap((program) => {
    const path = findProgram(program, place.path);
    if (path === undefined) return [];
    if (!existsSync(join(directory, program))) symlinkSync(path, join(directory, program));
    return [program];
  });
  const [first = ''] = programs;
  if (!found.includes(first)) throw new Error(`${name}: this machine has no ${first}.`);
  appendFileSync(place.pathFile, `${directory}\n`);
  return `${name}: ${found.join(', ')} of this machine.\n`;
}

/** Shims choose a version by their name and directory, so the program behind them is linked. */
function findProgram(name: string, path: string): string | undefined {
  if (name === 'node') return process.execPath;
  const file = path
    .split(delimiter)
    .filter(isAbsolute)
    .map((directory) => join(directory, name))
    .find((candidate) => existsSync(candidate));
  if (file === undefined || !/^python\d?$/.test(name)) return file;
  return execFileSync(file, ['-c', 'import sys; print(sys.executable)'], {
    cwd: '/',
    encoding: 'utf8',
  }).trim();
}
