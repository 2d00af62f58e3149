import type { RunState } from '../../core/contracts/run-state.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import { commentContext } from '../comment-context.ts';
import type { EffectContext } from './effect-context.ts';

type Check = Pick<Parameters<GitHub['upsertCheckRun']>[0], 'status' | 'conclusion' | 'title'>;

/** Shows the run's status as a check on the branch's newest commit, if the branch exists. */
export async function showCheck({ deps, github, state, target }: EffectContext): Promise<void> {
  const { head, check: written } = await deps.store.publications.of(state.run);
  if (head === undefined) return;
  const where = await commentContext(deps, state, target, `check:${state.run}`);
  const check: Check = where.unpublished
    ? { status: 'completed', conclusion: 'action_required', title: 'Built, but not published' }
    : checkOf(state);
  const shown = JSON.stringify([head, check]);
  if (written === shown) return;
  await github.upsertCheckRun({
    ...check,
    head_sha: head,
    external_id: state.run,
    summary: `Run ${state.run}, turn ${state.turn}.`,
    details_url: where.links?.run_page ?? where.links?.status,
  });
  await deps.store.publications.change(state.run, { check: shown });
}

function checkOf(state: RunState): Check {
  const ended = (conclusion: Check['conclusion'], title: string): Check => ({
    status: 'completed',
    conclusion,
    title,
  });
  switch (state.status) {
    case 'pending':
    case 'building':
      return { status: 'in_progress', title: state.verifying ? 'Verifying' : 'Building' };
    case 'waiting_for_input':
      return ended('action_required', state.pending ? 'Waiting for you' : 'Paused: /continue goes on');
    case 'reviewing':
    case 'approved':
      return state.finished?.partial
        ? ended('neutral', 'Built, with partial results')
        : ended('success', 'Built and verified');
    case 'rejected':
      return ended('neutral', 'Closed without merging');
    case 'cancelled':
      return ended('cancelled', 'Cancelled');
    case 'terminated_by_human':
      return ended('cancelled', 'Ended by a person');
    case 'failed':
      return ended('failure', 'Failed');
  }
}
