import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isolationWords } from '../comments/text/isolation.ts';
import { isStopCertain } from '../core/contracts/isolation.ts';
import type { JobTarget } from '../core/ports/job-api.ts';
import type { ActionLog } from '../runner/output/workflow-commands.ts';
import { ActionError } from './action-error.ts';
import { jobEnvironment } from './job-environment.ts';
import { openActionBox } from './open-action-box.ts';
import { type JobCommits, openRepository } from './open-repository.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The checkout, the box and the directory of a job. */
export async function openJob(
  env: Environment,
  log: ActionLog,
  { worktree, commits, run, job }: { worktree: string; commits: JobCommits; run: string; job: number },
) {
  const repository = await openRepository(worktree, commits, env.PATH);
  const { to } = repository.move;
  if (to.length > 0) log.print(`${to.length} files are now as in ${commits.head}.`);
  const runDir = join(temporaryOf(env), `autobuild-${run}-${job}`);
  mkdirSync(runDir, { recursive: true, mode: 0o700 });
  const self = [process.execPath, process.argv[1] ?? ''];
  const box = openActionBox({ env, worktree, runDir, mode: repository.config.isolation, self });
  log.annotate(
    isStopCertain(box.level) ? 'notice' : 'warning',
    [isolationWords(box.level), ...box.why].join('; '),
  );
  const now = () => new Date();
  return { log, worktree, repository, runDir, self, box, now, env: jobEnvironment(env) };
}

/** A desk of an older version names no base, and its job checks out the head. */
export function commitsOf({ head_sha: head, base_sha: base = head }: JobTarget): JobCommits {
  return { head, base };
}

export function temporaryOf(env: Environment): string {
  return env.RUNNER_TEMP || tmpdir();
}

export function findWorktree(env: Environment): string {
  const directory = resolve(env.GITHUB_WORKSPACE ?? process.cwd(), env.INPUT_DIRECTORY || '.');
  if (existsSync(directory)) return realpathSync(directory);
  throw new ActionError(
    `There is no directory ${directory}.`,
    'Name the place of the checkout with `directory`.',
  );
}

/** Actions cancels with SIGINT, then with SIGTERM. Both save the work. */
export function parkOnSignals(): AbortSignal {
  const parking = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => parking.abort());
  return parking.signal;
}
