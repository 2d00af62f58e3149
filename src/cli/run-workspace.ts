import { join } from 'node:path';
import { userError } from '../core/error-catalogue.ts';
import type { Tree } from '../runner/workspace/tree-store.ts';
import { openWorkspace, type Workspace } from '../runner/workspace/workspace.ts';
import type { Home, RunFile } from './home.ts';

interface RunWorkspace {
  workspace: Workspace;
  /** All files before the first turn. */
  snapshot: Tree;
}

/** The files of a run, compared with those before it. Call it with the worktree's lock. */
export async function openRunWorkspace(
  file: RunFile,
  home: Home,
  env: Record<string, string>,
): Promise<RunWorkspace> {
  const { run, worktree, state_dir, snapshot } = file;
  if (snapshot === undefined) throw userError('snapshot_missing', { run });
  const workspace = await openWorkspace({
    worktree,
    gitDir: join(home.runDir(run), 'git'),
    stateDir: state_dir,
    path: env.PATH,
  });
  return { workspace, snapshot: snapshot as Tree };
}
