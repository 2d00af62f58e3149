import { join } from 'node:path';
import { terminalLine } from '../../comments/terminal/terminal-text.ts';
import { isUnderWay } from '../../core/contracts/run-state.ts';
import { handle } from '../../core/decide/handle.ts';
import { userError } from '../../core/error-catalogue.ts';
import { RULES } from '../../guards/rules.ts';
import { loadCheckpoint } from '../../runner/checkpoint/checkpoint.ts';
import type { Workspace } from '../../runner/workspace/workspace.ts';
import { openFileStore } from '../../store/file.ts';
import { openFileVault } from '../../store/file-vault.ts';
import { headOf } from '../describe-work.ts';
import { findRun } from '../find-run.ts';
import { type Home, type RunFile, realDirectory } from '../home.ts';
import type { CliOptions } from '../options.ts';
import { forgetConversations } from '../past-runs/rest-conversations.ts';
import { openRunWorkspace } from '../run-workspace.ts';
import { withWorktreeLock } from '../with-worktree-lock.ts';

const FILES_NAMED = 10;
const PATH_CELLS = 200;

/**
 * `autobuild undo` gives all files the content they had before the run. A file that somebody changed after the run is not
 * touched without `--force`, and a copy of everything that is undone is kept. A run that is still open is cancelled by it.
 */
export async function undoCommand(
  options: CliOptions,
  home: Home,
  by: string,
  env: Record<string, string>,
): Promise<string[]> {
  const file = await findRun(options, home, env);
  realDirectory(file.worktree);
  return withWorktreeLock(home, file, async () => {
    const { workspace, snapshot } = await openRunWorkspace(file, home, env);
    const runDir = home.runDir(file.run);
    const paths = await workspace.changedSince(snapshot);
    const made = await specialMade(workspace, file);
    const { tree, special } = loadCheckpoint(runDir);
    const edited: string[] = [];
    // A round builds on what somebody changed before it, so its last tree has that in it.
    const between = new Set(file.edited_between);
    for (const path of paths)
      if (between.has(path) || (tree && (await workspace.differs(path, tree)))) edited.push(path);
    for (const path of made)
      if (!paths.includes(path) && (between.has(path) || special?.includes(path) === false))
        edited.push(path);
    if (edited.length > 0 && !options.force)
      throw userError('edited_since', { run: file.run, count: edited.length, files: named(edited) });
    if (paths.length + made.length === 0)
      return ['Nothing to undo: the run changed no file that is still different.'];
    const wasCancelled = await cancelRun(file, home, by);
    const kept = join(runDir, 'undone', new Date().toISOString().replaceAll(':', '-'));
    const items = await workspace.revert(paths, kept, snapshot);
    // Read again, because an ignore rule of the run's own making hides nothing any more.
    items.push(...(await workspace.revert(await specialMade(workspace, file), kept, snapshot)));
    // A name that is not UTF-8 leads to no file.
    const left = new Set(await specialMade(workspace, file));
    const refused = items.flatMap((item) => {
      if (item.kind === 'refused') return [`✗ ${item.path}: ${item.problem}`];
      return left.has(item.path) ? [`✗ ${item.path}: it could not be removed`] : [];
    });
    const back = items.filter(({ kind, path }) => kind !== 'refused' && !left.has(path));
    const hasCopy = items.some((item) => 'stored' in item);
    return [
      `✓ Undone: ${back.length} of ${items.length} files are back as they were before run ${file.run}`,
      ...(back.length > 0 ? [`  ${named(back.map(({ path }) => terminalLine(path, PATH_CELLS)))}`] : []),
      ...refused,
      ...(wasCancelled ? [`  Run ${file.run} is cancelled.`] : []),
      ...(hasCopy ? [`  A copy of what was there is in ${kept}`] : []),
      ...(await commitLines(file, env)),
    ];
  });
}

/** The pipes, sockets and devices that were not there before the run. Older runs do not know what was there. */
async function specialMade(workspace: Workspace, { special }: RunFile): Promise<string[]> {
  return special ? (await workspace.special()).filter((path) => !special.includes(path)) : [];
}

/** A run whose work is gone must not be resumed. True if it was not at its end yet. */
async function cancelRun({ run }: RunFile, home: Home, by: string): Promise<boolean> {
  const runDir = home.runDir(run);
  const store = openFileStore(runDir);
  try {
    const { state } = await store.load(run);
    if (!state) return false;
    const isOpen = isUnderWay(state);
    if (isOpen) {
      const at = new Date().toISOString();
      await handle(store, RULES, run, {
        type: 'command',
        at,
        command: { name: 'cancel' },
        by,
        via: 'terminal',
      });
    }
    await openFileVault(runDir).forget(run);
    await forgetConversations(runDir);
    return isOpen;
  } finally {
    store.close();
  }
}

async function commitLines({ head, worktree, branch, repository }: RunFile, env: Record<string, string>) {
  const now = await headOf(worktree, env);
  const moved = head !== undefined && now !== undefined && now !== head;
  return [
    ...(moved
      ? [`  Commits since then are still there: git log ${head.slice(0, 12)}..${now.slice(0, 12)}`]
      : []),
    ...(branch && repository
      ? [`  To remove the worktree too: git -C ${repository} worktree remove --force ${worktree}`]
      : []),
  ];
}

function named(paths: readonly string[]): string {
  const more = paths.length > FILES_NAMED ? ` and ${paths.length - FILES_NAMED} more` : '';
  return `${paths.slice(0, FILES_NAMED).join(', ')}${more}`;
}
