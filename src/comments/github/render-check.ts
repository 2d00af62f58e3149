import type { RunState } from '../../core/contracts/run-state.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import { bothResults } from '../text/both-results.ts';
import { explainBaseRun } from './sections/with-base.ts';

type Check = Pick<Parameters<GitHub['upsertCheckRun']>[0], 'status' | 'conclusion' | 'title'>;

/** The run's status as a check on a commit. */
export function renderCheck(state: RunState): Check {
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
      return ended('action_required', state.pending ? 'Waiting for you' : 'Paused: resume with /continue');
    case 'reviewing':
    case 'approved':
      return state.finished?.partial
        ? ended('neutral', withBoth('Partially done', state))
        : ended('success', withBoth('Built and verified', state));
    case 'rejected':
      return ended('neutral', 'Closed without merging');
    case 'cancelled':
      return ended('cancelled', 'Cancelled');
    case 'terminated_by_human':
      return ended('cancelled', 'Terminated');
    case 'failed':
      return ended('failure', 'Failed');
  }
}

function withBoth(title: string, state: RunState): string {
  const both = bothResults(state);
  return both ? `${title}: ${both}` : title;
}

export function renderCheckSummary(state: RunState): string {
  const place = `Run ${state.run}, turn ${state.turn}.`;
  return state.with_base ? `${place}\n\n${explainBaseRun(state.with_base)}` : place;
}
