import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Agent } from '../agents/agent.ts';
import { findExecutable } from '../runner/find-executable.ts';

const ANSWER_MS = 20_000;
const VERSION_LENGTH = 80;
const MAX_OUTPUT_BYTES = 64 * 1024;

/** What a program says of its version. Undefined: it is not there. */
export async function versionOf(
  command: string,
  { cwd, env }: { cwd: string; env: Record<string, string | undefined> },
): Promise<string | undefined> {
  const found = findExecutable(command, { cwd, path: env.PATH ?? '' });
  if ('problem' in found) return undefined;
  try {
    const { stdout } = await promisify(execFile)(found.path, ['--version'], {
      cwd,
      env,
      timeout: ANSWER_MS,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    return stdout.trim().split('\n')[0]?.slice(0, VERSION_LENGTH) || 'of unknown version';
  } catch {
    return 'of unknown version: it does not answer --version';
  }
}

/** Agents change their flags and events without notice: whoever has another version should know. */
export function versionWarning({ name, testedVersion }: Agent, version: string): string | undefined {
  const numbers: string[] = version.match(/\d+(?:\.\d+)+[\w-]*/g) ?? [];
  if (!testedVersion || numbers.includes(testedVersion)) return undefined;
  return `${name} here is ${version}. Autobuild was tested with ${testedVersion}: another version may behave differently.`;
}
