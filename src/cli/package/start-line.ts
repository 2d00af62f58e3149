import { readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { parseJson } from '../../core/parse-json.ts';
import { quoteWord } from './quote-word.ts';

interface Start {
  /** The real path of the program: `src/cli.ts` of a clone, or `build/cli.js` of the package. */
  file: string;
  /** The real path of the Node that runs it. */
  node: string;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

const SHIM_BYTES = 65_536;

/** The words that start this program again in the shell it was started from. They are printed in hints. */
export function startLine({ file, node, cwd, env }: Start): string {
  const root = dirname(dirname(file));
  if (isOnPath(root, env.PATH)) return 'autobuild';
  const packed = /^(.*)\/node_modules\/autobuild-agent$/.exec(root)?.[1];
  if (packed !== undefined && isNpx(packed)) return `npx ${quoteWord(packageOf(packed))}`;
  if (packed !== undefined && isInside(packed, cwd)) return 'npx autobuild';
  if (env.npm_lifecycle_event === 'autobuild' && env.npm_package_json === join(root, 'package.json')) {
    // npm changes the directory; the shell is still where it was.
    const isNear = isInside(root, env.INIT_CWD ?? cwd);
    return `npm ${isNear ? '' : `--prefix ${quoteWord(root)} `}run -s autobuild --`;
  }
  return `${nodeWords(node, root, cwd, env.PATH)} ${quoteWord(isInside(cwd, file) ? relative(cwd, file) : file)}`;
}

/** npm puts `node_modules/.bin` into the PATH of what it starts, and the shell does not have it. */
function lastingDirectories(path = ''): string[] {
  return path
    .split(delimiter)
    .filter((directory) => directory !== '' && !directory.endsWith('/node_modules/.bin'));
}

function isOnPath(root: string, path: string | undefined): boolean {
  for (const directory of lastingDirectories(path)) {
    const real = realPath(join(directory, 'autobuild'));
    if (real === undefined) continue;
    // Some package managers write a script that starts the program.
    return real === join(root, 'bin/autobuild.cjs') || readStart(real).includes('autobuild-agent/');
  }
  return false;
}

function isNpx(directory: string): boolean {
  return /\/_npx\/[0-9a-f]+$/.test(directory);
}

/** npx notes what it was asked for beside what it installed. */
function packageOf(directory: string): string {
  const noted = parseJson(readStart(join(directory, 'package.json'))) as
    | { _npx?: { packages?: unknown } }
    | undefined;
  const packages = noted?._npx?.packages;
  const [only, ...others] = Array.isArray(packages) ? packages : [];
  return typeof only === 'string' && others.length === 0 ? only : 'autobuild-agent';
}

function nodeWords(node: string, root: string, cwd: string, path: string | undefined): string {
  const found = lastingDirectories(path).flatMap((directory) => realPath(join(directory, 'node')) ?? [])[0];
  if (found === node) return 'node';
  return isInside(join(root, 'node_modules'), node) && isInside(root, cwd) ? 'npx node' : quoteWord(node);
}

function isInside(directory: string, path: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function readStart(path: string): string {
  try {
    return readFileSync(path).subarray(0, SHIM_BYTES).toString('utf8');
  } catch {
    return '';
  }
}
