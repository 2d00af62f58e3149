import { execFile } from 'node:child_process';
import type { Agent } from '../../agents/agent.ts';
import { findExecutable } from '../../runner/process/find-executable.ts';
import { cleanMessage } from '../terminal/clean-message.ts';

const ANSWER_MS = 20_000;
const VERSION_LENGTH = 80;
const WORDS_LENGTH = 300;
const MAX_OUTPUT_BYTES = 64 * 1024;

type FoundVersion =
  | { is: 'there'; version: string }
  | { is: 'missing' }
  /** The program exists but fails: how it ended, and the end of its stderr. */
  | { is: 'broken'; problem: string; words: string };

interface ProgramContext {
  cwd: string;
  env: Record<string, string | undefined>;
}

/** Runs `command --version`. */
export function findVersion(command: string, { cwd, env }: ProgramContext): Promise<FoundVersion> {
  const found = findExecutable(command, { cwd, path: env.PATH ?? '' });
  if ('problem' in found)
    return Promise.resolve(
      found.missing ? { is: 'missing' } : { is: 'broken', problem: found.problem, words: '' },
    );
  const options = {
    cwd,
    env,
    timeout: ANSWER_MS,
    killSignal: 'SIGKILL' as const,
    maxBuffer: MAX_OUTPUT_BYTES,
  };
  return new Promise((resolve) => {
    execFile(found.path, ['--version'], options, (error, stdout, stderr) => {
      const [first = ''] = cleanMessage(stdout.trim()).split('\n');
      if (!error) resolve({ is: 'there', version: first.slice(0, VERSION_LENGTH) || 'of unknown version' });
      else
        resolve({
          is: 'broken',
          problem: `${command} --version ${howItEnded(error)}`,
          words: lastWords(stderr),
        });
    });
  });
}

/** Undefined if the program is missing or fails. */
export async function versionOf(command: string, context: ProgramContext): Promise<string | undefined> {
  const found = await findVersion(command, context);
  return found.is === 'there' ? found.version : undefined;
}

function howItEnded({
  code,
  killed,
  signal,
}: {
  code?: unknown;
  killed?: boolean;
  signal?: unknown;
}): string {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'printed without end';
  if (killed) return `gave no answer in ${ANSWER_MS / 1000} s`;
  return signal ? `was killed by ${signal}` : `exited ${code}`;
}

function lastWords(stderr: string): string {
  return cleanMessage(stderr.trim().slice(-WORDS_LENGTH)).replaceAll(/\s+/g, ' ').trim();
}

/** Agents change their flags and events without notice, so an untested version deserves a warning. */
export function versionWarning({ name, testedVersion }: Agent, version: string): string | undefined {
  const numbers: string[] = version.match(/\d+(?:\.\d+)+[\w-]*/g) ?? [];
  if (!testedVersion || numbers.includes(testedVersion)) return undefined;
  return `${name} here is ${version}. Autobuild was tested with ${testedVersion}: another version may behave differently.`;
}
