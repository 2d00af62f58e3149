import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GateEdit } from '../../core/contracts/gate.ts';
import { MAX_FILE_BYTES } from '../../core/work/changeset.ts';
import { digestOfFile } from '../../core/work/examine-work.ts';
import { diffLines } from '../../core/work/line-diff.ts';
import { readInside } from '../disk/read-inside.ts';
import { patchedText } from './patched-text.ts';

const MAX_TEXT_BYTES = 2 * 1024 * 1024;
/** Characters that the replacements of one edit may search, because the runner's clock waits meanwhile. */
const MAX_SEARCHED = 32 * 1024 * 1024;
/** The cost of each replaced place, in characters. */
const PLACE_COST = 16;

/** The content that an edit would leave, and how it differs from the file as it is. */
export interface ProposedContent {
  digest: string;
  diff: string;
}

/**
 * Works out what a tool will write. Undefined if it cannot be told. A wrong guess does no harm: the content that is found in the
 * worktree has another digest then, and is asked about.
 */
export async function proposedContent(
  worktree: string,
  { path, given }: { path: string; given: string },
  edit: GateEdit,
  maxChars: number,
): Promise<ProposedContent | undefined> {
  const mode = await modeOf(worktree, path);
  const read = mode === undefined ? undefined : await readInside(worktree, path, MAX_TEXT_BYTES);
  if (read && !read.ok) return undefined;
  const before = read?.bytes.toString('utf8') ?? '';
  const after = resultOf(edit, given, before);
  if (after === undefined) return undefined;
  const content = after === null ? null : Buffer.from(after).toString('base64');
  return {
    digest: digestOfFile({ mode: mode ?? '100644', content }, sha256),
    diff: diffLines(before, after ?? '', maxChars),
  };
}

/** The digest of a file in the worktree. Undefined for whatever is no plain file. */
export async function digestInWorktree(worktree: string, path: string): Promise<string | undefined> {
  const mode = await modeOf(worktree, path);
  if (mode === undefined) return digestOfFile({ mode: '100644', content: null }, sha256);
  const read = await readInside(worktree, path, MAX_FILE_BYTES);
  if (!read.ok) return undefined;
  return digestOfFile({ mode, content: read.bytes.toString('base64') }, sha256);
}

/** The digest of a copy that is kept outside the worktree, or of a deleted file. */
export async function digestOfCopy(version: { copy: string; mode: number } | 'deleted'): Promise<string> {
  if (version === 'deleted') return digestOfFile({ mode: '100644', content: null }, sha256);
  const bytes = await readFile(version.copy);
  return digestOfFile({ mode: gitMode(version.mode), content: bytes.toString('base64') }, sha256);
}

function resultOf(edit: GateEdit, given: string, before: string): string | null | undefined {
  if (edit.content !== undefined) return edit.content;
  if (edit.patch !== undefined) return patchedText(edit.patch, given, before);
  let text = before;
  let searched = 0;
  for (const { old, new: replacement, all } of edit.replace ?? []) {
    const parts = old === '' ? [] : text.split(old);
    searched += text.length + parts.length * PLACE_COST;
    if (searched > MAX_SEARCHED) return undefined;
    const grown = text.length + (parts.length - 1) * (replacement.length - old.length);
    if (grown > 2 * MAX_TEXT_BYTES) return undefined;
    if (old === '' && text === '') text = replacement;
    else if (parts.length < 2 || (parts.length > 2 && !all)) return undefined;
    else text = parts.join(replacement);
  }
  return edit.replace ? text : undefined;
}

async function modeOf(worktree: string, path: string): Promise<'100644' | '100755' | undefined> {
  const stats = await lstat(join(worktree, path)).catch(() => undefined);
  if (!stats) return undefined;
  return gitMode(stats.mode);
}

function gitMode(mode: number): '100644' | '100755' {
  return (mode & 0o100) !== 0 ? '100755' : '100644';
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
