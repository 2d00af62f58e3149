import type { CommentContext } from '../../../core/contracts/comment-context.ts';
import {
  pendingEscalation,
  phaseOf,
  type RunState,
  waitsOverClosedPull,
} from '../../../core/contracts/run-state.ts';
import { pauseExpiry } from '../../../core/decide/expiry.ts';
import { inlineText } from '../../text/harmless.ts';
import { link } from '../../text/markdown.ts';
import { presentFigures } from '../../text/present-figures.ts';
import { count, dateAtTime } from '../../text/words.ts';
import { headlineOf } from './question-parts.ts';

/** For a run that expired because nobody answered. */
export const LABEL_AGAIN = '**To start again:** remove and re-add the label.';

/** For a run whose work was not published: the reasons, and the remedy. */
export function renderUnpublished({ unpublished }: Pick<CommentContext, 'unpublished'>): string | undefined {
  if (!unpublished) return undefined;
  const lines = unpublished.detail.split('\n').filter((line) => line.trim() !== '');
  const items = lines.map((line) => inlineText(line, 300));
  const { link: place } = unpublished;
  if (place) items.push(link(inlineText(place.text, 200), place.url));
  return items.map((item) => `- ${item}`).join('\n');
}

type StateContext = Pick<CommentContext, 'limits' | 'links' | 'unpublished' | 'setting_up' | 'queued'>;

/** The state and what is needed from people. The preview of a mail shows only this line. */
export function stateOf(state: RunState, where: StateContext): string {
  const by = state.finished?.by ? ` by ${inlineText(state.finished.by, 60)}` : '';
  const pull = where.links?.pull_request;
  if (where.queued && phaseOf(state) === 'working') return describeQueue(where.queued);
  switch (state.status) {
    case 'pending':
    case 'building':
      return `▶ Building${renderRound(state)}: ${renderWork(state, where)}, nothing needed from you`;
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

/** V-8: rounds are numbered where people see them. The build, which is the first, is not. */
function renderRound({ revision }: RunState): string {
  return revision ? ` round ${revision.number}` : '';
}

function renderWork(state: RunState, { setting_up, limits }: StateContext): string {
  const { status } = state;
  const { turn, max_turns } = presentFigures(state, limits);
  if (setting_up) return 'the job is setting up';
  if (status === 'pending') return 'a job is starting';
  if (turn === 0) return 'running the checks before any change';
  return `turn ${turn}${max_turns === null ? '' : ` of ${max_turns}`}`;
}

function describeQueue({ building, position }: { building: number; position: number }): string {
  const others = `${count(building, 'run is', 'runs are')} building in this repository`;
  return `▶ Queued: ${others}, this one is number ${position} in line, nothing needed from you`;
}

function decideBy(state: RunState): string {
  const expiry = pauseExpiry(state);
  return expiry ? `with \`/continue\` before ${dateAtTime(expiry)}` : 'with `/continue`';
}

/** For a run that waits because its pull request was closed. */
export function closedBy({ closed_pull }: RunState): string {
  return `the pull request was closed by ${inlineText(closed_pull?.by ?? 'someone', 60)}`;
}
