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
import { listAbove, ReadAbove, readAboveBy } from './control-files-above.ts';
import { DotGit, noteDotGit, restoreDotGit } from './dot-git.ts';
import { findGitDirs, type GitDir, listGitPlaces, type Place } from './git-control-files.ts';

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_TOLD = 20;
/** A file that was written just now may be written again within the same tick of its clock. */
const SETTLED_MS = 2_000;
const UNREADABLE =
  'The run was killed in a turn of another version of Autobuild, whose notes are not understood. Look at the settings and hooks of git here (.git/config, .git/hooks), and at instructions for agents in the directories above: the turn may have left some.';

const Kept = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('link'), target: z.string() }),
  z.object({ kind: z.literal('file'), mode: z.number().int(), digest: z.string(), bytes: z.base64() }),
  /** Too large, or not ours to read: not ours to touch. */
  z.object({ kind: z.literal('unkept') }),
]);
type Kept = z.infer<typeof Kept>;
/** `mark`: while it is the same, so is the file. */
const Entry = z.object({ root: z.string(), path: z.string(), kept: Kept, mark: z.string().optional() });
type Entry = z.infer<typeof Entry>;
const GitDirNoted = z.object({ root: z.string(), parts: z.array(z.string()) });
/** Earlier versions noted less: a run of theirs may have been killed in a turn. */
const Note = z.object({
  worktree: z.string().optional(),
  dotGit: DotGit.default({ kind: 'none' }),
  gitDirs: z.array(GitDirNoted.or(z.string().transform((root) => ({ root, parts: ['.'] })))),
  git: z.array(Entry),
  /** Directories of hooks in which nothing is known. */
  crowded: z.array(z.string()).default([]),
  above: z.array(Entry),
  readAbove: ReadAbove.default(() => readAboveBy()),
});
type Note = z.infer<typeof Note>;

/**
 * What lies around the worktree and is obeyed without being asked: git's settings and hooks of the user's repository, and
 * instructions in the directories above. Noted before an agent or a check runs, and put back after it.
 */
export interface Surroundings {
  /** What is worth telling the user, a line each. */
  putBack(): Promise<string[]>;
}

/** `agent`: the one that starts, or started; absent: one of which nothing is known. */
export async function noteSurroundings(worktree: string, dir: string, agent?: Agent): Promise<Surroundings> {
  const gitDirs = await findGitDirs(worktree);
  const budget = { left: MAX_BYTES };
  const listed = await Promise.all(gitDirs.map(listGitPlaces));
  const readAbove = readAboveBy(agent);
  const note: Note = {
    worktree,
    dotGit: await noteDotGit(worktree),
    gitDirs,
    git: await keepAll(
      listed.flatMap(({ places }) => places),
      budget,
    ),
    crowded: listed.flatMap(({ crowded }) => crowded).map(fullPath),
    above: await keepAll(await listAbove(worktree, readAbove), budget),
    readAbove,
  };
  await mkdir(dir, { recursive: true, mode: 0o700 });
  // For a successor, should this process be killed; this one trusts what it has in hand.
  const file = join(dir, 'noted.json');
  await writeFile(`${file}.new`, JSON.stringify(note), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return { putBack: () => putBack(note, dir) };
}

/** After a crash in the middle of a turn. */
export async function putBackNoted(dir: string): Promise<string[]> {
  const text = await readFile(join(dir, 'noted.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (text === undefined) return [];
  const note = Note.safeParse(JSON.parse(text));
  return note.success ? putBack(note.data, dir) : [UNREADABLE];
}

async function putBack(note: Note, dir: string): Promise<string[]> {
  const told: string[] = [];
  const asideDir = join(dir, 'replaced');
  const work = async (place: Place, step: () => Promise<string | undefined>): Promise<void> => {
    told.push(...(await attempt(place, step)));
  };
  const { worktree, git, above } = note;
  if (worktree !== undefined)
    await work({ root: worktree, path: '.git' }, () => restoreDotGit(worktree, note.dotGit, asideDir));
  const known = new Set([...git, ...above].map(fullPath));
  for (const gitDir of note.gitDirs) {
    if (!(await lstatIfThere(gitDir.root))?.isDirectory()) {
      told.push(`${gitDir.root} is not the directory it was before the turn.`);
      continue;
    }
    const gone = await partsGone(gitDir);
    const { places, crowded } = await listGitPlaces(gitDir);
    for (const place of crowded) {
      if (!note.crowded.includes(fullPath(place))) await work(place, () => clearCrowded(place, asideDir));
      else told.push(`${fullPath(place)} cannot be listed: what changed in it is not put back.`);
    }
    // What was made goes first: it may stand where something was.
    const made = places.filter((place) => !known.has(fullPath(place)));
    for (const place of made)
      await work(place, () => restore({ ...place, kept: { kind: 'none' } }, asideDir));
    const own = git.filter(
      ({ root, path }) => root === gitDir.root && !gone.some((part) => path.startsWith(`${part}/`)),
    );
    const untouched = await inParallel(own, isUntouched);
    for (const [at, entry] of own.entries())
      if (!untouched[at]) await work(entry, () => restore(entry, asideDir));
  }
  const nowAbove = worktree === undefined ? [] : await listAbove(worktree, note.readAbove);
  const madeAbove = nowAbove.filter((place) => !known.has(fullPath(place)));
  const entriesAbove: Entry[] = [
    ...above,
    ...madeAbove.map((place) => ({ ...place, kept: { kind: 'none' } as const })),
  ];
  for (const entry of entriesAbove) await work(entry, () => clearAbove(entry, asideDir));
  await rm(join(dir, 'noted.json'), { force: true });
  if (told.length <= MAX_TOLD) return told;
  return [...told.slice(0, MAX_TOLD), `${told.length - MAX_TOLD} more were put back likewise.`];
}

/** A submodule or a linked worktree that was given up stays so. */
async function partsGone({ root, parts }: GitDir): Promise<string[]> {
  const gone: string[] = [];
  for (const part of parts) if (!(await lstatIfThere(join(root, part)))) gone.push(part);
  return gone;
}

function fullPath({ root, path }: Place): string {
  return join(root, path);
}

/** Too many to look at each: the directory goes as a whole, and what was noted of it comes back after that. */
async function clearCrowded({ root, path }: Place, asideDir: string): Promise<string> {
  // One that may not be written cannot be moved either.
  await chmod(join(root, path), 0o700);
  const where = await moveAway(root, path, asideDir);
  return `${join(root, path)} was filled during the turn and is as before: git would obey it.${where}`;
}

async function attempt({ root, path }: Place, work: () => Promise<string | undefined>): Promise<string[]> {
  try {
    const text = await work();
    return text === undefined ? [] : [text];
  } catch (error) {
    return [`${join(root, path)} could not be put back: ${(error as Error).message}`];
  }
}

/** Without reading it. No is no answer: then it is read. */
async function isUntouched({ root, path, kept, mark }: Entry): Promise<boolean> {
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

async function restore({ root, path, kept }: Entry, asideDir: string): Promise<string | undefined> {
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
      ? 'was made during the turn and is removed'
      : 'was changed during the turn and is put back';
  return `${join(root, path)} ${what}: git would obey it.${where}`;
}

/** The user's own are never touched: only what was not there before goes. */
async function clearAbove({ root, path, kept }: Entry, asideDir: string): Promise<string | undefined> {
  const state = await readPathState(root, path);
  if (isSame(state, kept)) return undefined;
  const full = join(root, path);
  if (kept.kind !== 'none') return `${full} was changed during the turn: agents obey it. Look at it.`;
  if (state.kind !== 'file' && state.kind !== 'link' && state.kind !== 'behind') return undefined;
  const where = await moveAway(root, state.kind === 'behind' ? state.obstacle : path, asideDir);
  return `${full} was made during the turn and is removed: agents obey it.${where}`;
}

async function moveAway(root: string, path: string, asideDir: string): Promise<string> {
  const moved = await setAside(root, path, asideDir);
  if (moved.kind === 'refused') throw new Error(moved.problem);
  return 'stored' in moved ? ` What stood there is in ${moved.stored}.` : '';
}

function isSame(state: PathState, kept: Kept): boolean {
  return kept.kind === 'unkept' || isSameState(state, kept);
}

async function keepAll(places: readonly Place[], budget: { left: number }): Promise<Entry[]> {
  return inParallel(places, async ({ root, path }) => ({ root, path, ...(await keep(root, path, budget)) }));
}

async function keep(
  root: string,
  path: string,
  budget: { left: number },
): Promise<Pick<Entry, 'kept' | 'mark'>> {
  // The mark is older than what is read: whatever happens in between makes it another.
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
