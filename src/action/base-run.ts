import { join } from 'node:path';
import * as z from 'zod';
import type { BaseVerification, Verification } from '../core/contracts/verification.ts';
import { parseJson } from '../core/parse-json.ts';
import type { Changeset } from '../core/work/changeset.ts';
import { checkFiles } from '../core/work/check-files.ts';
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
  headSha: string;
  repository: CheckedOut;
  changeset: Changeset;
  commands: readonly string[];
  /** The `PATH` on which git is found. */
  path: string | undefined;
}): Promise<BaseRun | undefined> {
  const { worktree, runDir, repository, commands } = input;
  const { config, objects } = repository;
  const manifest = Manifest.safeParse(parseJson((await objects.file(input.headSha, 'package.json')) ?? ''));
  const paths = checkFiles(
    input.changeset.files.map(({ path }) => path),
    { commands, scripts: manifest.data?.scripts ?? {}, patterns: config.check_files },
  );
  if (paths.length === 0) return undefined;
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
      const given = reverted.flatMap(({ kind, path }) => (kind === 'refused' ? [] : [path]));
      if (given.length === 0) return undefined;
      return { verification: await run(), paths: given.slice(0, PATHS_KEPT), files: given.length };
    },
  };
}
