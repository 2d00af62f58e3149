import type { RunState } from '../../core/contracts/run-state.ts';

/** Edits that were put back and are not in the work, for the last words of a run: nothing drops out in silence. */
export function leftPutBack(state: RunState): string[] {
  const { turns, turn, escalations, approved_paths, approved_names = [], changes, finished } = state;
  if (!finished) return [];
  const last = turns.at(-1);
  const asked = escalations.at(-1);
  // A turn that a question stopped for good has no record: then the question has them.
  const cut = asked?.during_turn && turn > (last?.turn ?? 0) ? asked.triggers : [];
  const proposed = cut.flatMap(({ evidence }) => evidence.proposed ?? []);
  const paths = [...(last?.put_back ?? []), ...proposed.map(({ path }) => path)];
  // A pattern says nothing of this file; an older journal has the names of approved files among the patterns.
  const known = new Set([...approved_paths, ...approved_names, ...changes.paths]);
  return [...new Set(paths)].filter((path) => !known.has(path));
}
