import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Agent } from '../../agents/agent.ts';
import { linkIn } from '../disk/copy-inside.ts';
import { inParallel } from '../disk/in-parallel.ts';
import { lookInside, lstatIfThere } from '../disk/inside-directory.ts';
import { isSameState, type PathState, readPathState } from '../disk/path-state.ts';
import { readInside } from '../disk/read-inside.ts';
import { removeInside, setAside } from '../disk/set-aside.ts';
import { writeInside } from '../disk/write-inside.ts';
import { ConfigAbove, configAboveOf, listConfigAbove } from './control-files-above.ts';
import { DotGit, recordDotGit, restoreDotGit } from './dot-git.ts';
import { findGitDirs, type GitDir, listGitControlFiles, type RootedPath } from './git-control-files.ts';

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_NOTICES = 20;
/** A file written just now may be written again within the same tick of the file system's clock. */
const SETTLED_MS = 2_000;
const UNREADABLE =
  'The run was killed in a turn of another version of Autobuild, whose notes are not understood. Look at the settings and hooks of git here (.git/config, .git/hooks), and at instructions for agents in the directories above: the turn may have left some.';

const Kept = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('link'), target: z.string() }),
  z.object({ kind: z.literal('file'), mode: z.number().int(), digest: z.string(), bytes: z.base64() }),
  /** Too large or unreadable. It is not reverted, because its content is not known. */
  z.object({ kind: z.literal('unkept') }),
]);
type Kept = z.infer<typeof Kept>;
/** While `mark` is the same, the file is unchanged. */
const RecordedFile = z.object({
  root: z.string(),
  path: z.string(),
  kept: Kept,
  mark: z.string().optional(),
});
type RecordedFile = z.infer<typeof RecordedFile>;
const RecordedGitDir = z.object({ root: z.string(), parts: z.array(z.string()) });
/** Stored as `noted.json`. Optional fields are missing if an earlier version of Autobuild was killed in a turn. */
const ControlFiles = z.object({
  worktree: z.string().optional(),
  dotGit: DotGit.default({ kind: 'none' }),
  gitDirs: z.array(RecordedGitDir.or(z.string().transform((root) => ({ root, parts: ['.'] })))),
  git: z.array(RecordedFile),
  /** Hook directories that could not be listed. */
  crowded: z.array(z.string()).default([]),
  above: z.array(RecordedFile),
  readAbove: ConfigAbove.default(() => configAboveOf()),
});
type ControlFiles = z.infer<typeof ControlFiles>;

/**
 * The control files around the worktree: settings and hooks of the user's repository, which git obeys, and instructions
 * in the directories above, which agents obey. They are recorded before an agent or a check runs, and reverted after it.
 */
export interface ControlFilesRecord {
  /** Returns notices for the user. */
  revert(): Promise<string[]>;
}

/** `agent` is the one that starts, or started. Undefined if it is not known. */
export async function recordControlFiles(
  worktree: string,
  dir: string,
  agent?: Agent,
): Promise<ControlFilesRecord> {
  const gitDirs = await findGitDirs(worktree);
  const budget = { left: MAX_BYTES };
  const listed = await Promise.all(gitDirs.map(listGitControlFiles));
  const readAbove = configAboveOf(agent);
  const recorded: ControlFiles = {
    worktree,
    dotGit: await recordDotGit(worktree),
    gitDirs,
    git: await keepAll(
      listed.flatMap(({ files }) => files),
      budget,
    ),
    crowded: listed.flatMap(({ crowded }) => crowded).map(fullPath),
    above: await keepAll(await listConfigAbove(worktree, readAbove), budget),
    readAbove,
  };
  await mkdir(dir, { recursive: true, mode: 0o700 });
  // For the next job in case this process is killed. This process uses its own copy, which the agent cannot change.
  const file = join(dir, 'noted.json');
  await writeFile(`${file}.new`, JSON.stringify(recorded), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return { revert: () => revertTo(recorded, dir) };
}

/** Reverts what the record of a killed job names. */
export async function revertAfterCrash(dir: string): Promise<string[]> {
  const text = await readFile(join(dir, 'noted.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (text === undefined) return [];
  const recorded = ControlFiles.safeParse(JSON.parse(text));
  return recorded.success ? revertTo(recorded.data, dir) : [UNREADABLE];
}

async function revertTo(recorded: ControlFiles, dir: string): Promise<string[]> {
  const notices: string[] = [];
  const asideDir = join(dir, 'replaced');
  const attemptAt = async (file: RootedPath, step: () => Promise<string | undefined>): Promise<void> => {
    notices.push(...(await attempt(file, step)));
  };
  const { worktree, git, above } = recorded;
  if (worktree !== undefined)
    await attemptAt({ root: worktree, path: '.git' }, () =>
      restoreDotGit(worktree, recorded.dotGit, asideDir),
    );
  const known = new Set([...git, ...above].map(fullPath));
  for (const gitDir of recorded.gitDirs) {
    if (!(await lstatIfThere(gitDir.root))?.isDirectory()) {
      // The notice about the worktree's own `.git` says more.
      if (!notices.some((notice) => notice.startsWith(`${gitDir.root} `)))
        notices.push(`${gitDir.root} is not the directory it was before the turn.`);
      continue;
    }
    const gone = await partsGone(gitDir);
    const { files, crowded } = await listGitControlFiles(gitDir);
    for (const file of crowded) {
      if (!recorded.crowded.includes(fullPath(file)))
        await attemptAt(file, () => clearCrowded(file, asideDir));
      else notices.push(`${fullPath(file)} cannot be listed: changes in it are not reverted.`);
    }
    // New files are removed first, because one may be where a recorded file has to be restored.
    const made = files.filter((file) => !known.has(fullPath(file)));
    for (const file of made)
      await attemptAt(file, () => restore({ ...file, kept: { kind: 'none' } }, asideDir));
    const own = git.filter(
      ({ root, path }) => root === gitDir.root && !gone.some((part) => path.startsWith(`${part}/`)),
    );
    const untouched = await inParallel(own, isUntouched);
    for (const [at, entry] of own.entries())
      if (!untouched[at]) await attemptAt(entry, () => restore(entry, asideDir));
  }
  const nowAbove = worktree === undefined ? [] : await listConfigAbove(worktree, recorded.readAbove);
  const madeAbove = nowAbove.filter((file) => !known.has(fullPath(file)));
  const filesAbove: RecordedFile[] = [
    ...above,
    ...madeAbove.map((file) => ({ ...file, kept: { kind: 'none' } as const })),
  ];
  for (const file of filesAbove) await attemptAt(file, () => clearAbove(file, asideDir));
  await rm(join(dir, 'noted.json'), { force: true });
  if (notices.length <= MAX_NOTICES) return notices;
  return [...notices.slice(0, MAX_NOTICES), `${notices.length - MAX_NOTICES} more were reverted likewise.`];
}

/** A submodule or linked worktree that was removed in the turn is not restored. */
async function partsGone({ root, parts }: GitDir): Promise<string[]> {
  const gone: string[] = [];
  for (const part of parts) if (!(await lstatIfThere(join(root, part)))) gone.push(part);
  return gone;
}

function fullPath({ root, path }: RootedPath): string {
  return join(root, path);
}

/** Moves the whole directory away, because it has too many files to compare each. Its recorded files are restored after that. */
async function clearCrowded({ root, path }: RootedPath, asideDir: string): Promise<string> {
  // A directory without write permission cannot be moved.
  await chmod(join(root, path), 0o700);
  const where = await moveAway(root, path, asideDir);
  return `${join(root, path)} was filled during the turn and was reverted: git would run it.${where}`;
}

async function attempt(
  { root, path }: RootedPath,
  work: () => Promise<string | undefined>,
): Promise<string[]> {
  try {
    const text = await work();
    return text === undefined ? [] : [text];
  } catch (error) {
    return [`${join(root, path)} could not be reverted: ${(error as Error).message}`];
  }
}

/** Compares without reading the file. False may be wrong, so the file is read then. */
async function isUntouched({ root, path, kept, mark }: RecordedFile): Promise<boolean> {
  try {
    const { stats, obstacle } = await lookInside(root, path);
    if (kept.kind === 'none') return !stats && !obstacle;
    return kept.kind === 'file' && mark !== undefined && stats !== undefined && markOf(stats) === mark;
  } catch {
    return false;
  }
}

function markOf({ dev, ino, mode, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, mode, size, mtimeMs, ctimeMs].join(' ');
}

async function restore({ root, path, kept }: RecordedFile, asideDir: string): Promise<string | undefined> {
  const state = await readPathState(root, path);
  if (isSame(state, kept)) return undefined;
  const { obstacle } = await lookInside(root, path);
  if (obstacle) await removeInside(root, obstacle.path);
  const where = await moveAway(root, path, asideDir);
  if (kept.kind === 'file')
    await writeInside(root, path, { bytes: Buffer.from(kept.bytes, 'base64'), mode: kept.mode });
  if (kept.kind === 'link') await linkIn(root, path, kept.target);
  const what =
    kept.kind === 'none'
      ? 'was created during the turn and was removed'
      : 'was changed during the turn and was reverted';
  return `${join(root, path)} ${what}: git would run it.${where}`;
}

/** Removes a file that is new. A user's own file is never changed, only reported. */
async function clearAbove({ root, path, kept }: RecordedFile, asideDir: string): Promise<string | undefined> {
  const state = await readPathState(root, path);
  if (isSame(state, kept)) return undefined;
  const full = join(root, path);
  if (kept.kind !== 'none') return `${full} was changed during the turn: agents follow it. Please check it.`;
  if (state.kind !== 'file' && state.kind !== 'link' && state.kind !== 'behind') return undefined;
  const where = await moveAway(root, state.kind === 'behind' ? state.obstacle : path, asideDir);
  return `${full} was created during the turn and was removed: agents follow it.${where}`;
}

async function moveAway(root: string, path: string, asideDir: string): Promise<string> {
  const moved = await setAside(root, path, asideDir);
  if (moved.kind === 'refused') throw new Error(moved.problem);
  return 'stored' in moved ? ` Its content is saved in ${moved.stored}.` : '';
}

function isSame(state: PathState, kept: Kept): boolean {
  return kept.kind === 'unkept' || isSameState(state, kept);
}

async function keepAll(files: readonly RootedPath[], budget: { left: number }): Promise<RecordedFile[]> {
  return inParallel(files, async ({ root, path }) => ({ root, path, ...(await keep(root, path, budget)) }));
}

async function keep(
  root: string,
  path: string,
  budget: { left: number },
): Promise<Pick<RecordedFile, 'kept' | 'mark'>> {
  // The stats are read before the content, so a write in between changes the mark.
  const { stats, obstacle } = await lookInside(root, path);
  if (!stats?.isFile()) {
    if (!stats && !obstacle) return { kept: { kind: 'none' } };
    const state = await readPathState(root, path);
    return { kept: state.kind === 'link' ? state : { kind: 'unkept' } };
  }
  const mark = Date.now() - stats.ctimeMs > SETTLED_MS ? markOf(stats) : undefined;
  const read = await readInside(root, path, Math.min(MAX_FILE_BYTES, budget.left));
  if (!read.ok) return { kept: { kind: 'unkept' } };
  budget.left -= read.bytes.length;
  const digest = createHash('sha256').update(read.bytes).digest('hex');
  return { kept: { kind: 'file', mode: read.mode, digest, bytes: read.bytes.toString('base64') }, mark };
}
