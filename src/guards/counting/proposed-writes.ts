import type { ProposedWrite } from '../../core/contracts/guard.ts';
import { clip } from '../words/wording.ts';

const PROPOSED_KEPT = 50;
const DIFF_CHARS = 20_000;

/** A new proposal for a path replaces the earlier one. */
export function addProposed(proposed: readonly ProposedWrite[], write: ProposedWrite): ProposedWrite[] {
  const kept = write.diff === undefined ? write : { ...write, diff: clip(write.diff, DIFF_CHARS) };
  return [...proposed.filter((other) => other.path !== write.path), kept].slice(-PROPOSED_KEPT);
}
