import { loadCheckpoint, saveCheckpoint } from '../../runner/checkpoint/checkpoint.ts';
import type { Workspace } from '../../runner/workspace/workspace.ts';
import { headOf } from '../describe-work.ts';
import type { Home } from '../home.ts';

/**
 * V-9: what somebody changed since the last round is theirs. The round builds on it, and it is not counted as its work. Returns
 * the number of files.
 */
export async function takeEdits(
  run: string,
  { home, env }: { home: Home; env: Record<string, string> },
  workspace: Workspace,
): Promise<number> {
  const runDir = home.runDir(run);
  const { tree, special } = loadCheckpoint(runDir);
  const presentSpecial = await workspace.special();
  const saved = home.findRun(run, []);
  const made = special ? presentSpecial.filter((path) => !special.includes(path)) : [];
  const edited = tree ? [...(await workspace.changedSince(tree)), ...made] : [];
  // Saved first, because `undo` must know them whatever happens next.
  home.saveRun({
    ...saved,
    round_head: await headOf(workspace.worktree, env),
    edited_between: [...new Set([...(saved.edited_between ?? []), ...edited])],
  });
  if (!tree || edited.length === 0) return 0;
  const present = await workspace.snapshot();
  await workspace.absorb(tree, present);
  saveCheckpoint({ runDir }, { tree: present, special: presentSpecial });
  return edited.length;
}
