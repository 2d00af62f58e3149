import { accessSync, closeSync, constants, openSync, readSync, type Stats, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** `missing`: no file of that name is on the PATH. */
type FoundExecutable = { path: string } | { problem: string; missing?: true };

/** Resolves a program as the system would. If it cannot be started, returns a problem to show the user. */
export function findExecutable(name: string, options: { cwd: string; path: string }): FoundExecutable {
  const { cwd, path } = options;
  if (name === '') return { problem: 'The agent command is empty. Set the agent in the configuration.' };
  if (!isFolder(cwd))
    return { problem: `The working directory ${cwd} is not there or is no directory. Check the checkout.` };
  if (name.includes('/')) return checkFile(isAbsolute(name) ? name : resolve(cwd, name));
  let refused: FoundExecutable | undefined;
  for (const folder of path.split(delimiter).filter(Boolean)) {
    const candidate = join(resolve(cwd, folder), name);
    if (!statIfReadable(candidate)) continue;
    const found = checkFile(candidate);
    if ('path' in found) return found;
    refused ??= found;
  }
  return (
    refused ?? {
      problem: `The agent "${name}" was not found on the PATH. Install it where Autobuild runs (in a workflow: in a step before it), or give its full path.`,
      missing: true,
    }
  );
}

function checkFile(file: string): FoundExecutable {
  const stat = statIfReadable(file);
  if (!stat) return { problem: `The agent ${file} does not exist. Install it, or correct the path.` };
  if (!stat.isFile()) return { problem: `The agent ${file} is no file. Name the program itself.` };
  if (!canExecute(file)) return { problem: `The agent ${file} is not executable. Run "chmod +x ${file}".` };
  const interpreter = readInterpreter(file);
  if (interpreter !== undefined && !canExecute(interpreter))
    return {
      problem: `The agent ${file} asks for the interpreter "${interpreter}", which cannot be run here. Install it, or correct the first line.`,
    };
  return { path: file };
}

/** The program of a `#!` line. If it is missing, the system reports the script itself as "not found", which misleads. */
function readInterpreter(file: string): string | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    const head = Buffer.alloc(256);
    const length = readSync(handle, head, 0, head.length, 0);
    return /^#![ \t]*([^\s]+)/.exec(head.toString('latin1', 0, length))?.[1];
  } catch {
    // A program can be executable without being readable.
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function canExecute(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Undefined also if a directory on the way cannot be read: the system, too, tries the next entry of the PATH then. */
function statIfReadable(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function isFolder(path: string): boolean {
  return statIfReadable(path)?.isDirectory() ?? false;
}
