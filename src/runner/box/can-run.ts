import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const PROBE_MS = 10_000;
const WORDS = 200;

/** Undefined if the command succeeds; else why not, in a line. */
export function canRun(
  command: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): string | undefined {
  const [program = '', ...rest] = command;
  const { cwd = '/', env = {} } = options;
  const { status, error, stderr } = spawnSync(program, rest, {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: PROBE_MS,
  });
  if (status === 0) return undefined;
  const words = stderr?.trim().split('\n').at(0) || error?.message || `exit ${status}`;
  return words.slice(0, WORDS);
}

/** Directories of the system alone, because the PATH of a job may begin with one that others can write. */
const SYSTEM = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/run/current-system/sw/bin'];

export function findTool(name: string): string | undefined {
  return SYSTEM.map((directory) => join(directory, name)).find((path) => existsSync(path));
}
