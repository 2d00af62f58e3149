import type { Unpublished } from '../core/contracts/comment-context.ts';
import type { RunState } from '../core/contracts/run-state.ts';
import type { Publication } from '../core/ports/publications.ts';

export const BUILD_AGAIN = 'Remove and re-add the label to build it again.';

/** Set before the first attempt, so that whatever fails, nobody is asked to review unpublished work. */
export const NOT_YET: Unpublished = {
  why: 'GitHub has not accepted the work yet',
  detail: 'It is kept and retried automatically for about two hours.',
};

/** Publishing was given up for a reason that people in the repository cannot act on. */
export const GIVEN_UP: Unpublished = {
  why: 'it could not be pushed to GitHub',
  detail: `The App's log says why; its administrators can look.\n${BUILD_AGAIN}`,
};

/** The issue was labelled again before GitHub took the work. */
export const REPLACED: Unpublished = {
  why: 'a newer run of this issue replaced it',
  detail: 'The newer run has a status of its own below.',
};

/** True if the run has just ended and the result of publishing is not known yet. */
export function isPublishingDue({ status }: RunState, { unpublished }: Publication): boolean {
  return status === 'reviewing' && unpublished === undefined;
}
