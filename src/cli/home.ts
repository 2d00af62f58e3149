import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { userError } from '../core/error-catalogue.ts';
import { isDiskFull } from './disk-full.ts';

/** The facts needed to resume a run on this machine, beside its journal. */
const RunFile = z.object({
  run: z.string(),
  worktree: z.string(),
  state_dir: z.string(),
  agents: z.record(z.string(), z.array(z.string())),
  junit: z.array(z.string()),
  turn_minutes: z.number(),
  check_minutes: z.number(),
  isolation: z.enum(['required', 'best']).optional(),
  check_isolation: z.enum(['box', 'host']).optional(),
  created_at: z.string(),
  /** The repository that the run was started in, if it works in a worktree of its own. */
  repository: z.string().optional(),
  /** The branch of that worktree. */
  branch: z.string().optional(),
  /** The commit that was checked out when the run began. */
  head: z.string().optional(),
  /** The tree of all files before the first turn, in the trusted git directory. */
  snapshot: z.string().optional(),
  /** Pipes, sockets and devices before the first turn. Missing in runs of older versions. */
  special: z.array(z.string()).optional(),
  /** How many rounds the run may have. Missing in runs of older versions. */
  max_rounds: z.number().optional(),
  /** The commit that was checked out when the latest round began. */
  round_head: z.string().optional(),
  /** Files that somebody changed between two rounds. `undo` asks about them. */
  edited_between: z.array(z.string()).optional(),
});
export type RunFile = z.infer<typeof RunFile>;

/** The directory of all runs. It is outside every worktree, so that no agent can edit its own record. */
export interface Home {
  directory: string;
  runDir(run: string): string;
  lockFile(worktree: string): string;
  saveRun(file: RunFile): void;
  /** The named run, or the newest one of these worktrees or repositories. */
  findRun(run: string | undefined, places: readonly string[]): RunFile;
  runs(): RunFile[];
}

export function openHome(env: Record<string, string | undefined>): Home {
  const state = env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state');
  const directory = resolve(env.AUTOBUILD_HOME || join(state, 'autobuild'));
  const runDir = (run: string) => join(directory, 'runs', run);
  /** A run with an empty journal was killed before it began, so there is nothing to resume. */
  const read = (run: string): RunFile | undefined => {
    const journal = statSync(join(runDir(run), 'journal.jsonl'), { throwIfNoEntry: false });
    return journal && journal.size > 0 ? readRunFile(join(runDir(run), 'run.json')) : undefined;
  };
  const runs = () =>
    existsSync(join(directory, 'runs'))
      ? readdirSync(join(directory, 'runs'))
          .flatMap((run) => read(run) ?? [])
          .sort((a, b) => a.created_at.localeCompare(b.created_at))
      : [];
  /** A disk that is full is told elsewhere. Everything else is the place itself: not writable, or a file is in its way. */
  const makeDirectory = (path: string) => {
    try {
      makeOneByOne(path);
    } catch (cause) {
      if (isDiskFull(cause)) throw cause;
      throw userError('home_unusable', { directory, problem: (cause as Error).message });
    }
  };
  return {
    directory,
    runDir,
    runs,
    lockFile(worktree) {
      const name = createHash('sha256').update(worktree).digest('hex').slice(0, 24);
      makeDirectory(join(directory, 'locks'));
      return join(directory, 'locks', name);
    },
    saveRun(file) {
      makeDirectory(runDir(file.run));
      const path = join(runDir(file.run), 'run.json');
      writeFileSync(`${path}.new`, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    },
    findRun(run, places) {
      const found = run
        ? /^[a-z0-9]+$/.test(run)
          ? read(run)
          : undefined
        : runs().findLast(
            ({ worktree, repository = worktree }) => places.includes(worktree) || places.includes(repository),
          );
      if (!found) throw userError('run_missing', { run: run ?? '', home: directory });
      return found;
    },
  };
}

/** Short enough to type, long enough to be unique. */
export function newRunId(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
  return [...randomBytes(8)].map((byte) => letters[byte % letters.length]).join('');
}

export function realDirectory(directory: string): string {
  const stats = statSync(directory, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) throw userError('worktree_missing', { directory });
  return realpathSync(directory);
}

/** One damaged record must not hide the other runs. */
function readRunFile(file: string): RunFile | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return RunFile.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Node's own `recursive` never ends below `/proc`, where nothing can be made though the parent is there. */
function makeOneByOne(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (!existsSync(dirname(path))) makeOneByOne(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
