import { cleanText } from '../../comments/text/clean-text.ts';
import { findRun } from '../find-run.ts';
import { type Home, realDirectory } from '../home.ts';
import type { CliOptions } from '../options.ts';
import { openRunWorkspace } from '../run-workspace.ts';
import { withWorktreeLock } from '../with-worktree-lock.ts';

const MAX_BYTES = 32 * 1024 * 1024;
const LINE_CHARS = 10_000;

/**
 * `autobuild diff` prints a patch from the files before the run to the files as they are now. A pipe or file gets one that can
 * be applied. At a terminal, control characters of the files must not act, and binary files are only named.
 */
export async function diffCommand(
  options: CliOptions,
  home: Home,
  env: Record<string, string>,
  { isShown }: { isShown: boolean },
): Promise<{ output: string | Buffer; cut: boolean }> {
  const file = await findRun(options, home, env);
  realDirectory(file.worktree);
  return withWorktreeLock(home, file, async () => {
    const { workspace, snapshot } = await openRunWorkspace(file, home, env);
    if (isShown) {
      const { text, cut } = await workspace.diff(undefined, MAX_BYTES, snapshot);
      return { output: shownDiff(text), cut };
    }
    const { bytes, cut } = await workspace.patch(MAX_BYTES, snapshot);
    return { output: bytes, cut };
  });
}

function shownDiff(text: string): string {
  return text
    .split('\n')
    .map((line) => cleanText(line, LINE_CHARS))
    .join('\n');
}
