import type { RunState } from '../../core/contracts/run-state.ts';

/** Edits that were reverted and are not in the work. The end of a run lists them, so that none is lost silently. */
export function revertedEdits(state: RunState): string[] {
  const {
    turns,
    turn,
    escalations,
    approved_paths,
    approved_names = [],
    approved_files = [],
    changes,
    finished,
  } = state;
  if (!finished) return [];
  const last = turns.at(-1);
  const asked = escalations.at(-1);
  // A turn that ended with a question has no record, but the question has its edits.
  const cut = asked?.during_turn && turn > (last?.turn ?? 0) ? asked.triggers : [];
  const proposed = cut.flatMap(({ evidence }) => evidence.proposed ?? []);
  const paths = [...(last?.put_back ?? []), ...proposed.map(({ path }) => path)];
  // Only a literal path approves an edit. Patterns are included, because older journals list approved names among them.
  const known = new Set([
    ...approved_paths,
    ...approved_names,
    ...approved_files.map(({ path }) => path),
    ...changes.paths,
  ]);
  return [...new Set(paths)].filter((path) => !known.has(path));
}
