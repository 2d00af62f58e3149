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
  /** It is there and cannot be run: how it ended, and the end of what it said. */
  | { is: 'broken'; problem: string; words: string };

interface Place {
  cwd: string;
  env: Record<string, string | undefined>;
}

/** What a program says of its version. */
export function findVersion(command: string, { cwd, env }: Place): Promise<FoundVersion> {
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

/** Of a program that is there and works. */
export async function versionOf(command: string, place: Place): Promise<string | undefined> {
  const found = await findVersion(command, place);
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

/** Agents change their flags and events without notice: whoever has another version should know. */
export function versionWarning({ name, testedVersion }: Agent, version: string): string | undefined {
  const numbers: string[] = version.match(/\d+(?:\.\d+)+[\w-]*/g) ?? [];
  if (!testedVersion || numbers.includes(testedVersion)) return undefined;
  return `${name} here is ${version}. Autobuild was tested with ${testedVersion}: another version may behave differently.`;
}
