import type { CommentContext } from '../../../core/contracts/comment-context.ts';
import {
  pendingEscalation,
  phaseOf,
  type RunState,
  waitsOverClosedPull,
} from '../../../core/contracts/run-state.ts';
import { pauseExpiry } from '../../../core/decide/expiry.ts';
import { inlineText } from '../../text/harmless.ts';
import { count, dateTime } from '../../text/words.ts';
import { headlineOf } from './question-parts.ts';

/** For a run that expired because nobody answered. */
export const LABEL_AGAIN = '**To start again:** remove and re-add the label.';

/** For a run whose work was not published: the reasons, and the remedy. */
export function renderUnpublished({ unpublished }: Pick<CommentContext, 'unpublished'>): string | undefined {
  if (!unpublished) return undefined;
  const lines = unpublished.detail.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => `- ${inlineText(line, 300)}`).join('\n');
}

type StateContext = Pick<CommentContext, 'limits' | 'links' | 'unpublished' | 'setting_up' | 'queued'>;

const SETTING_UP = '▶ Building: the job is setting up, nothing needed from you';

/** The state and what is needed from people. The preview of a mail shows only this line. */
export function stateOf(state: RunState, where: StateContext): string {
  const by = state.finished?.by ? ` by ${inlineText(state.finished.by, 60)}` : '';
  const pull = where.links?.pull_request;
  if (where.queued && phaseOf(state) === 'working') return describeQueue(where.queued);
  switch (state.status) {
    case 'pending':
      return where.setting_up ? SETTING_UP : '▶ Building: a job is starting, nothing needed from you';
    case 'building': {
      if (where.setting_up) return SETTING_UP;
      if (state.turn === 0)
        return '▶ Building: running the checks before any change, nothing needed from you';
      const max = where.limits.turns;
      return `▶ Building: turn ${state.turn}${max === null ? '' : ` of ${max}`}, nothing needed from you`;
    }
    case 'waiting_for_input': {
      const open = pendingEscalation(state);
      if (open) return `⏸ Waiting for you: ${inlineText(headlineOf(state, open), 120)}`;
      if (waitsOverClosedPull(state)) return `⏸ Waiting for you: ${closedBy(state)}`;
      return `⏸ Paused: resume ${decideBy(state)}`;
    }
    case 'reviewing': {
      if (where.unpublished) return `✗ Not published: ${inlineText(where.unpublished.why, 120)}`;
      const what = pull ? `pull request #${pull.number} is ready for your review` : 'ready for your review';
      return state.finished?.partial ? `✓ Partially done: ${what}` : `✓ Done: ${what}`;
    }
    case 'approved':
      return `✓ ${state.finished?.partial ? 'Partially done' : 'Done'}: merged, nothing needed from you`;
    case 'rejected':
      return '✗ Closed without merging: nothing needed from you';
    case 'failed':
      return `✗ Failed: ${inlineText(state.finished?.reason ?? 'no reason recorded', 100)}`;
    case 'cancelled':
      if (state.finished?.expired) return `✗ Cancelled: ${inlineText(state.finished.reason, 100)}`;
      return `✗ Cancelled${by}: nothing needed from you`;
    case 'terminated_by_human':
      return `✗ Terminated${by}: nothing needed from you`;
  }
}

function describeQueue({ building, position }: { building: number; position: number }): string {
  const others = `${count(building, 'run is', 'runs are')} building in this repository`;
  return `▶ Queued: ${others}, this one is number ${position} in line, nothing needed from you`;
}

function decideBy(state: RunState): string {
  const expiry = pauseExpiry(state);
  return expiry ? `with \`/continue\` before ${dateTime(expiry)}` : 'with `/continue`';
}

/** For a run that waits because its pull request was closed. */
export function closedBy({ closed_pull }: RunState): string {
  return `the pull request was closed by ${inlineText(closed_pull?.by ?? 'someone', 60)}`;
}
