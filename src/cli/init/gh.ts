import { execFile } from 'node:child_process';
import { findExecutable } from '../../runner/process/find-executable.ts';
import type { Remote } from './remote.ts';

const TIMEOUT_MS = 60_000;

/** GitHub's own command line, as the person has it. It is never asked to prompt. */
export interface Gh {
  /** `input` is what it reads from standard input. A secret goes this way, because others can see arguments. */
  run(args: readonly string[], input?: string): Promise<{ ok: boolean; text: string }>;
}

/** Undefined if it is not installed. */
export function findGh({ cwd, env }: { cwd: string; env: Record<string, string> }): Gh | undefined {
  const program = findExecutable('gh', { cwd, path: env.PATH ?? '' });
  if (!('path' in program)) return undefined;
  const quiet = { ...env, GH_PROMPT_DISABLED: '1', NO_COLOR: '1' };
  return {
    run: (args, input = '') =>
      new Promise((resolve) => {
        const options = { cwd, env: quiet, timeout: TIMEOUT_MS };
        const child = execFile(program.path, [...args], options, (error, stdout, stderr) =>
          resolve({ ok: !error, text: `${stdout}\n${stderr}` }),
        );
        // If it ends without reading, its exit code says so.
        child.stdin?.on('error', () => undefined);
        child.stdin?.end(input);
      }),
  };
}

/** The repository as gh wants it named. */
export function repositoryForGh({ host, repository }: Remote): string {
  return host === 'github.com' ? repository : `${host}/${repository}`;
}
