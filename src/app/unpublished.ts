import type { DeskCapabilities, Unpublished } from '../core/contracts/comment-context.ts';
import type { RunState } from '../core/contracts/run-state.ts';
import type { Publication } from '../core/ports/publications.ts';
import { roundToPublish } from './revise/last-result.ts';

/** How people get work onto GitHub that is not there: by the next turn, another round, another update, or another run. */
export type WayOut = 'turn' | 'round' | 'update' | 'label';

/** V-1: at rest, a round begins on a pull request that is open, and on nothing else. Without one there is only the label. */
export function wayOut(state: RunState, { pull }: Publication): WayOut {
  if (!state.finished) return 'turn';
  if (state.status !== 'reviewing') return 'label';
  if (pull === undefined || state.closed_pull?.number === pull) return 'label';
  return roundToPublish(state)?.update ? 'update' : 'round';
}

/** The way out in words, for work that the next round begins with. */
export const HOW_TO_RETRY: Record<WayOut, string> = {
  turn: 'The next result is tried again.',
  round:
    'Reply `/continue` to start another round with this work, or `/guide <what to change>` to change it.',
  update: 'Reply `/continue update` to try again, or merge the base into the branch yourself.',
  label: 'Remove and re-add the label to build it again.',
};

/** The same for work that is not kept, so that the next round has to be told what to do. */
export const HOW_TO_REDO: Record<WayOut, string> = {
  ...HOW_TO_RETRY,
  round: 'Reply `/guide <what to change>` to start another round.',
};

/** Set before the first attempt, so that whatever fails, nobody is asked to review unpublished work. */
export const NOT_YET: Unpublished = {
  why: 'GitHub has not accepted the work yet',
  detail: 'It is kept and retried automatically for about two hours.',
};

/** Publishing was given up for a reason that people in the repository cannot act on. */
export function givenUp(way: WayOut, { live }: Pick<DeskCapabilities, 'live'>): Unpublished {
  const log = live
    ? "The App's log says why; its administrators can look."
    : 'The log of the newest workflow run of this issue says why.';
  return { why: 'it could not be pushed to GitHub', detail: `${log}\n${HOW_TO_RETRY[way]}` };
}

/** The issue was labelled again before GitHub took the work. */
export const REPLACED: Unpublished = {
  why: 'a newer run of this issue replaced it',
  detail: 'The newer run has a status of its own below.',
};

/** True if the run has just ended and the result of publishing is not known yet. */
export function isPublishingDue({ status }: RunState, { unpublished }: Publication): boolean {
  return status === 'reviewing' && unpublished === undefined;
}
