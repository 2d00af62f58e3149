import type { Remark } from '../../core/contracts/revision.ts';
import { applySuggestions, hasSuggestion } from '../../core/work/suggestion.ts';
import { readInside } from '../disk/read-inside.ts';
import { writeInside } from '../disk/write-inside.ts';
import type { Job, WorkOrders } from './job.ts';

const MAX_BYTES = 5_000_000;

/**
 * V-3: replacements that reviewers wrote are made before the first turn of a round. Once there is other work, the agent decides,
 * because a replacement may contain the lines that it replaces, and would be made twice.
 */
export async function applyReviewers(job: Job, { revision }: WorkOrders): Promise<void> {
  if (!revision || job.applied) return;
  job.applied = new Set();
  const remarks = revision.remarks.filter(hasSuggestion);
  if (remarks.length === 0 || (await job.workspace.changes()).length > 0) return;
  for (const [path, ofFile] of Map.groupBy(remarks, ({ path }) => path)) {
    const read = await readInside(job.workspace.worktree, path, MAX_BYTES);
    const before = read.ok ? decode(read.bytes) : undefined;
    if (!read.ok || before === undefined) continue;
    const { text, applied } = applySuggestions(before, ofFile);
    if (applied.length === 0) continue;
    await writeInside(job.workspace.worktree, path, { bytes: Buffer.from(text), mode: read.mode });
    for (const id of applied) job.applied.add(id);
  }
}

/** A file that is no text is left alone, because its bytes would change. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The remarks as the agent is told of them, with those that are done already. */
export function withApplied(job: Job, remarks: readonly Remark[]): Remark[] {
  return remarks.map((remark) => (job.applied?.has(remark.id) ? { ...remark, applied: true } : remark));
}
