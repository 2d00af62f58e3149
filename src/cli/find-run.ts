import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { locate } from './choose-worktree.ts';
import { type Home, type RunFile, realDirectory } from './home.ts';
import { type CliOptions, usage } from './options.ts';

/**
 * Finds a run by name from anywhere, or the newest run of the repository, even if an agent has deleted that directory.
 */
export async function findRun(
  { command, operands, directory }: CliOptions,
  home: Home,
  env: Record<string, string>,
): Promise<RunFile> {
  const [run, ...extra] = operands;
  if (extra.length > 0) throw usage(`autobuild ${command} takes one run, not also ${extra.join(' ')}.`);
  if (run) return home.findRun(run, []);
  if (!existsSync(directory)) return home.findRun(undefined, [resolve(directory)]);
  const { top } = await locate(directory, env);
  return home.findRun(undefined, [top, realDirectory(directory)]);
}
