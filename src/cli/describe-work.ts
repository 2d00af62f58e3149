import type { RunState } from '../core/contracts/run-state.ts';
import type { Home } from './home.ts';
import { quoteWord } from './package/quote-word.ts';
import { savedEdits } from './past-runs/saved-edits.ts';
import { gitStatus, openUserGit } from './user-git.ts';

/** The work of a run that has ended, and where it is. */
export interface WorkLeft {
  /** The branch of a worktree that the run made. */
  branch?: string;
  worktree: string;
  /** The command that takes the patch over into the repository, which a worktree of its own was made from. */
  apply?: string;
  /** Where the copies of reverted edits are, by path. */
  saved: Readonly<Record<string, string>>;
  /** Whether `diff` and `undo` have a snapshot to compare with. */
  hasSnapshot: boolean;
  /** The result of `git status` in one line. Undefined where there is no repository. */
  git?: string;
}

export async function describeWork(
  { run }: RunState,
  home: Home,
  env: Record<string, string>,
): Promise<WorkLeft> {
  const file = home.findRun(run, []);
  const { worktree, branch, repository, snapshot, round_head } = file;
  // Commits between two rounds are those of a person.
  const head = round_head ?? file.head;
  const status = await gitStatus(worktree, env);
  const now = status && (await headOf(worktree, env));
  return {
    branch,
    worktree,
    apply: branch && repository ? `git -C ${quoteWord(repository)} apply` : undefined,
    saved: savedEdits(home.runDir(run)),
    hasSnapshot: snapshot !== undefined,
    git: status && !status.problem ? gitLine(status.changed, head !== undefined && now !== head) : undefined,
  };
}

/** The commit that is checked out. Undefined without a commit or a repository. */
export async function headOf(worktree: string, env: Record<string, string>): Promise<string | undefined> {
  const { ok, text } = await openUserGit(env).run(worktree, 'rev-parse', '--verify', '--quiet', 'HEAD');
  return ok ? text.trim() : undefined;
}

function gitLine(changed: readonly { isNew: boolean }[], committed: boolean): string {
  const fresh = changed.filter(({ isNew }) => isNew).length;
  const parts = [
    changed.length > fresh ? `${changed.length - fresh} changed` : '',
    fresh > 0 ? `${fresh} new` : '',
  ].filter(Boolean);
  const tree = parts.length > 0 ? `${parts.join(', ')}, not committed` : 'nothing to commit';
  return committed ? `${tree}; the run made commits of its own` : tree;
}
