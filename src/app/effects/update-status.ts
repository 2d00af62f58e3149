import { renderStatus } from '../../comments/render-status.ts';
import { isFinished, type RunState } from '../../core/run-state.ts';
import { commentContext } from '../comment-context.ts';
import { upsertComment } from '../upsert-comment.ts';
import type { Doing } from './perform-effect.ts';
import { showCheck } from './show-check.ts';

/** The one sticky comment, the check on the branch, and the label that says the same in a list of issues. */
export async function updateStatus(doing: Doing): Promise<void> {
  const { parts, github, state, place } = doing;
  const op = `${state.run}.status`;
  const where = await commentContext(parts, state, place, op);
  await upsertComment(parts, github, place, { run: state.run, op, body: renderStatus(state, where) });
  await showCheck(doing);
  const { label } = parts.settings;
  const wanted = `${label}:${stateLabel(state)}`;
  const mark = `label:${state.run}`;
  const present = await parts.store.marks.get(mark);
  if (present === wanted) return;
  await github.addLabels(place.issue, [wanted]);
  if (present) await github.removeLabel(place.issue, present);
  await parts.store.marks.set(mark, wanted);
}

function stateLabel(state: RunState): string {
  if (state.status === 'waiting_for_input') return 'waiting';
  if (!isFinished(state)) return 'running';
  return state.status === 'reviewing' || state.status === 'approved' ? 'done' : 'stopped';
}
