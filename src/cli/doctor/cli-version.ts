import { execFile } from 'node:child_process';
import type { Agent } from '../../agents/agent.ts';
import { findExecutable } from '../../runner/process/find-executable.ts';
import { cleanMessage } from '../terminal/clean-message.ts';

const ANSWER_MS = 20_000;
const VERSION_LENGTH = 80;
const WORDS_LENGTH = 300;
const MAX_OUTPUT_BYTES = 64 * 1024;

export type FoundVersion =
  | { is: 'there'; version: string }
  | { is: 'missing' }
  /** It gave no answer in time. On a busy machine some CLIs take long, so it may work. */
  | { is: 'slow'; problem: string }
  /** The program exists but fails: how it ended, and the end of its stderr. */
  | { is: 'broken'; problem: string; words: string };

interface ProgramContext {
  cwd: string;
  env: Record<string, string | undefined>;
  answerMs?: number;
}

/** Runs `command --version`. */
export function findVersion(
  command: string,
  { cwd, env, answerMs = ANSWER_MS }: ProgramContext,
): Promise<FoundVersion> {
  const found = findExecutable(command, { cwd, path: env.PATH ?? '' });
  if ('problem' in found)
    return Promise.resolve(
      found.missing ? { is: 'missing' } : { is: 'broken', problem: found.problem, words: '' },
    );
  const options = {
    cwd,
    env,
    timeout: answerMs,
    killSignal: 'SIGKILL' as const,
    maxBuffer: MAX_OUTPUT_BYTES,
  };
  return new Promise((resolve) => {
    execFile(found.path, ['--version'], options, (error, stdout, stderr) => {
      const [first = ''] = cleanMessage(stdout.trim()).split('\n');
      if (!error) resolve({ is: 'there', version: first.slice(0, VERSION_LENGTH) || 'of unknown version' });
      else if (error.killed && error.code !== TOO_MUCH)
        resolve({ is: 'slow', problem: `${command} --version gave no answer in ${answerMs / 1000} s` });
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

const TOO_MUCH: unknown = 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';

function howItEnded({ code, signal }: { code?: unknown; signal?: unknown }): string {
  if (code === TOO_MUCH) return 'printed without end';
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
