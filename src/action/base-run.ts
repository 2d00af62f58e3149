import { join } from 'node:path';
import * as z from 'zod';
import type { BaseVerification, Verification } from '../core/contracts/verification.ts';
import { parseJson } from '../core/parse-json.ts';
import type { Changeset } from '../core/work/changeset.ts';
import { checkFiles } from '../core/work/check-files.ts';
import { writeCommittedPaths } from '../runner/job/move-to-commit.ts';
import { openWorkspace } from '../runner/workspace/workspace.ts';
import type { CheckedOut } from './open-repository.ts';

const PATHS_KEPT = 20;
const Manifest = z.object({ scripts: z.record(z.string(), z.string()) });

/** The second run of the checks, on the work with the base's versions of the files that the checks depend on. */
export interface BaseRun {
  /** Called after the changeset was applied, before the first run. */
  remember(): Promise<void>;
  /** Called after the first run, whose changes are undone first. Undefined if no file could be given its base version. */
  verify(run: () => Promise<Verification>): Promise<BaseVerification | undefined>;
}

/** Called on the clean checkout. Undefined if the work changes no file that the checks depend on. */
export async function prepareBaseRun(input: {
  worktree: string;
  runDir: string;
  repository: CheckedOut;
  changeset: Changeset;
  commands: readonly string[];
  /** The `PATH` on which git is found. */
  path: string | undefined;
}): Promise<BaseRun | undefined> {
  const { worktree, runDir, repository, commands } = input;
  const { config, objects, base, move } = repository;
  const manifest = Manifest.safeParse(parseJson((await objects.file(base, 'package.json')) ?? ''));
  const depended = { commands, scripts: manifest.data?.scripts ?? {}, patterns: config.check_files };
  const paths = checkFiles(
    input.changeset.files.map(({ path }) => path),
    depended,
  );
  // The pull request is judged as a whole: the work of earlier rounds is in the head.
  const earlier = new Set(
    checkFiles(
      move.from.map(({ path }) => path),
      depended,
    ),
  );
  if (paths.length === 0 && earlier.size === 0) return undefined;
  const workspace = await openWorkspace({
    worktree,
    gitDir: join(runDir, 'base-run.git'),
    stateDir: config.state_dir,
    path: input.path,
  });
  let changed = workspace.base();
  return {
    async remember() {
      changed = await workspace.snapshot();
    },
    async verify(run) {
      await workspace.restoreTree(changed);
      const reverted = await workspace.revert(paths, join(runDir, 'base-run-aside'));
      await writeCommittedPaths(
        worktree,
        objects,
        move.from.filter(({ path }) => earlier.has(path)),
      );
      const now = reverted.flatMap(({ kind, path }) => (kind === 'refused' ? [] : [path]));
      const given = [...new Set([...now, ...earlier])];
      if (given.length === 0) return undefined;
      return { verification: await run(), paths: given.slice(0, PATHS_KEPT), files: given.length };
    },
  };
}
