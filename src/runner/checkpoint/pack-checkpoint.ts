import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import * as z from 'zod';
import type { Agent } from '../../agents/agent.ts';
import { SetAside } from '../../core/work/change.ts';
import { Changeset } from '../../core/work/changeset.ts';
import { matchesPattern } from '../../core/work/path-pattern.ts';
import { listInside } from '../disk/list-inside.ts';
import { readInside } from '../disk/read-inside.ts';
import { Carried } from './checkpoint.ts';

const MEBIBYTE = 1024 * 1024;
const MAX_CHECKPOINT_BYTES = 64 * MEBIBYTE;
/** Bounds decompression, because a small blob may expand to any size. */
const MAX_UNPACKED_BYTES = 400 * MEBIBYTE;
/** The total of all files beside the changeset. Much more would exceed the longest string that JSON can produce. */
const MAX_CARRIED_BYTES = 128 * MEBIBYTE;
const MAX_FILES = 20_000;

const PackedFile = z.object({ path: z.string(), mode: z.number().int(), content: z.string() });
const PackedLink = z.object({ path: z.string(), target: z.string() });
type PackedFile = z.infer<typeof PackedFile>;

/** The state that a job on another machine needs to continue, beside the journal, which has the guards' states. */
const PackedCheckpoint = Carried.extend({
  format: z.literal('autobuild-checkpoint'),
  version: z.literal(1),
  run: z.string(),
  /** The worktree and home where the checkpoint was made, because session files may contain these paths. */
  worktree: z.string(),
  home: z.string(),
  changeset: Changeset,
  /** Symlinks the agent made. They are never committed, but the agent needs them to continue. */
  links: z.array(PackedLink),
  aside: z.array(z.object({ item: SetAside, files: z.array(PackedFile), links: z.array(PackedLink) })),
  /** The name of the agent that `session` belongs to. */
  agent: z.string().optional(),
  session: z.string().optional(),
  session_files: z.array(PackedFile),
});
export type PackedCheckpoint = z.infer<typeof PackedCheckpoint>;

/** A checkpoint that cannot be made or used. The message says why and what happens instead. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
}

export interface CheckpointContents extends Carried {
  run: string;
  worktree: string;
  changeset: Changeset;
  aside: readonly SetAside[];
  /** The agent's home directory for this run. */
  home: string;
  conversation?: { agent: Agent; session: string };
}

/** Packs everything into one blob. If it is too large, the error names the largest file. */
export async function packCheckpoint(
  contents: CheckpointContents,
  maxBytes = MAX_CHECKPOINT_BYTES,
): Promise<Uint8Array> {
  const { run, worktree, changeset, home, conversation } = contents;
  const budget = { left: MAX_CARRIED_BYTES };
  const checkpoint: PackedCheckpoint = {
    format: 'autobuild-checkpoint',
    version: 1,
    run,
    worktree,
    home,
    changeset,
    links: await packLinks(
      worktree,
      changeset.left_out.map(({ path }) => path),
    ),
    aside: [],
    agent: conversation?.agent.name,
    session: conversation?.session,
    session_files: conversation ? await packSession(home, conversation, budget) : [],
    ...Carried.parse(contents),
  };
  for (const item of contents.aside) checkpoint.aside.push(await packAside(item, budget));
  const bytes = await promisify(gzip)(JSON.stringify(checkpoint));
  if (bytes.length <= maxBytes) return bytes;
  throw new CheckpointError(
    `The checkpoint has ${inMebibytes(bytes.length)} MiB; at most ${inMebibytes(maxBytes)} can be saved. The largest file is ${largestOf(checkpoint)}. Keep large files out with .gitignore.`,
  );
}

/** Reads a packed checkpoint from an untrusted source. Anything but a checkpoint of this run is refused. */
export async function unpackCheckpoint(
  bytes: Uint8Array,
  run: string,
  maxUnpacked = MAX_UNPACKED_BYTES,
): Promise<PackedCheckpoint> {
  if (bytes.length > MAX_CHECKPOINT_BYTES)
    throw refused(
      `it has ${inMebibytes(bytes.length)} MiB; at most ${inMebibytes(MAX_CHECKPOINT_BYTES)} are read`,
    );
  const parsed = PackedCheckpoint.safeParse(await unpackJson(bytes, maxUnpacked));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refused(
      `it is not one of this version (${issue?.path.join('.') || 'the whole'}: ${issue?.message})`,
    );
  }
  if (parsed.data.run !== run)
    throw refused(`it belongs to run ${JSON.stringify(parsed.data.run.slice(0, 40))}`);
  return parsed.data;
}

async function unpackJson(bytes: Uint8Array, maxOutputLength: number): Promise<unknown> {
  const text = await promisify(gunzip)(bytes, { maxOutputLength }).catch((error: Error) => {
    throw refused(`it cannot be unpacked (${error.message})`);
  });
  try {
    return JSON.parse(text.toString('utf8'));
  } catch {
    throw refused('it is not JSON');
  }
}

async function packLinks(root: string, paths: readonly string[]) {
  const links = [];
  for (const path of paths) {
    const target = await readlink(join(root, path)).catch(() => undefined);
    if (target !== undefined) links.push({ path, target });
  }
  return links;
}

/** Packs one quarantined file, or all files and symlinks of a quarantined directory. */
async function packAside(item: SetAside, budget: Budget): Promise<PackedCheckpoint['aside'][number]> {
  if (item.kind !== 'file' && item.kind !== 'directory') return { item, files: [], links: [] };
  const parent = join(item.stored, '..');
  const name = item.stored.slice(parent.length + 1);
  const paths = await listInside(parent, name, MAX_FILES);
  const files = await packFiles(parent, paths, budget);
  const links = await packLinks(parent, paths);
  const below = ({ path }: { path: string }) => path.slice(name.length + 1);
  return {
    item,
    files: files.map((file) => ({ ...file, path: below(file) })),
    links: links.map((link) => ({ ...link, path: below(link) })),
  };
}

async function packSession(
  home: string,
  { agent, session }: NonNullable<CheckpointContents['conversation']>,
  budget: Budget,
): Promise<PackedFile[]> {
  const globs = agent.sessionFiles?.(session) ?? [];
  if (globs.length === 0) return [];
  const paths = await listInside(home, '', MAX_FILES);
  return packFiles(
    home,
    paths.filter((path) => globs.some((glob) => matchesPattern(glob, path))),
    budget,
  );
}

type Budget = { left: number };

/** Skips symlinks and files that cannot be read. */
async function packFiles(root: string, paths: readonly string[], budget: Budget): Promise<PackedFile[]> {
  const files: PackedFile[] = [];
  for (const path of paths) {
    const read = await readInside(root, path, budget.left);
    if (!read.ok && read.tooLarge)
      throw new CheckpointError(`The checkpoint would be too large: ${path}: ${read.problem}.`);
    if (!read.ok) continue;
    budget.left -= read.bytes.length;
    files.push({ path, mode: read.mode, content: read.bytes.toString('base64') });
  }
  return files;
}

function largestOf({ changeset, aside, session_files }: PackedCheckpoint): string {
  const all = [
    ...changeset.files.map(({ path, content }) => ({ path, size: content?.length ?? 0 })),
    ...aside.flatMap(({ item, files }) =>
      files.map((file) => ({ path: item.path, size: file.content.length })),
    ),
    ...session_files.map(({ path, content }) => ({ path: `${path} (of the agent)`, size: content.length })),
  ].sort((one, other) => other.size - one.size);
  return all[0]?.path ?? 'none';
}

function refused(problem: string): CheckpointError {
  return new CheckpointError(
    `The checkpoint cannot be used: ${problem}. The work itself is kept separately; the agent starts a new conversation.`,
  );
}

function inMebibytes(bytes: number): number {
  return Math.ceil((bytes / MEBIBYTE) * 10) / 10;
}
