import { mkdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { userError } from '../core/error-catalogue.ts';
import { headOf } from './describe-work.ts';
import { type Home, realDirectory } from './home.ts';
import type { CliOptions } from './options.ts';
import { quoteWord } from './package/quote-word.ts';
import { gitStatus, openUserGit, repositoryTop } from './user-git.ts';

export interface Place {
  /** The top of the repository. All of it is watched. */
  top: string;
  /** The directory of the command, relative to the top. Empty at the top. */
  part: string;
}

/** The repository that the command is about, also from one of its subdirectories. */
export async function locate(directory: string, env: Record<string, string>): Promise<Place> {
  const real = realDirectory(directory);
  const top = await repositoryTop(real, env);
  return { top, part: relative(top, real) };
}

const FILES_NAMED = 5;
const PASTED_CHARS = 300;

/**
 * Refuses uncommitted changes, because the agent's work would be mixed with them. The task file is no such change: it is
 * written for the run and often not committed.
 */
export async function refuseDirtyTree(
  { top }: Place,
  options: Pick<CliOptions, 'argv' | 'dirty' | 'worktree' | 'operands'>,
  env: Record<string, string>,
): Promise<void> {
  if (options.dirty || options.worktree) return;
  const status = await gitStatus(top, env);
  if (!status) return;
  if (status.problem) throw userError('git_status_failed', { directory: top, problem: status.problem });
  const [task = ''] = options.operands;
  const files = status.changed.map(({ path }) => path).filter((path) => join(top, path) !== resolve(task));
  if (files.length === 0) return;
  const named = files.slice(0, FILES_NAMED).join(', ');
  const more = files.length > FILES_NAMED ? ` and ${files.length - FILES_NAMED} more` : '';
  throw userError('tree_dirty', {
    count: files.length,
    files: `${named}${more}`,
    // A worktree is made from the last commit.
    hasCommit: (await headOf(top, env)) !== undefined,
    again: withWorktree(options),
  });
}

/** The same command with `--worktree`. Undefined where it cannot be pasted: standard input is read, or it is too long. */
function withWorktree({ argv, operands }: Pick<CliOptions, 'argv' | 'operands'>): string | undefined {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const line = ['autobuild', ...argv.toSpliced(end, 0, '--worktree').map(quoteWord)].join(' ');
  return operands[0] === '-' || line.length > PASTED_CHARS || /\p{Cc}/u.test(line) ? undefined : line;
}

export interface OwnWorktree {
  directory: string;
  branch: string;
}

/** Makes a worktree with a branch of its own, from the last commit, so that the user's files are not touched. */
export async function makeWorktree(
  { top }: Place,
  run: { id: string; task: string },
  home: Home,
  env: Record<string, string>,
): Promise<OwnWorktree> {
  const parent = join(home.directory, 'worktrees');
  const directory = join(parent, run.id);
  const branch = `autobuild/${branchWord(run.task)}-${run.id}`;
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const made = await openUserGit(env).run(top, 'worktree', 'add', '--quiet', '-b', branch, directory, 'HEAD');
  if (!made.ok) throw userError('worktree_not_made', { directory: top, problem: lastLine(made.text) });
  return { directory: realDirectory(directory), branch };
}

/** Letters and digits only: other characters of a task's name may not be in the name of a branch. */
function branchWord(task: string): string {
  return (
    task
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 40) || 'task'
  );
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
