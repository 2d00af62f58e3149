import type { Unpublished } from '../core/contracts/comment-context.ts';
import type { RunState } from '../core/contracts/run-state.ts';
import type { Publication } from '../core/ports/publications.ts';

export const BUILD_AGAIN = 'Take the label off the issue and set it again to build it once more.';

/** Set before the first attempt, so that whatever fails, nobody is asked to review unpublished work. */
export const NOT_YET: Unpublished = {
  why: 'GitHub has not taken the work yet',
  detail: 'It is kept, and tried again by itself for about two hours.',
};

/** Publishing was given up for a reason that people in the repository cannot act on. */
export const GIVEN_UP: Unpublished = {
  why: 'it could not be brought to GitHub',
  detail: `The administrators of the App see in its log why.\n${BUILD_AGAIN}`,
};

/** True if the run has just ended and the result of publishing is not known yet. */
export function isPublishingDue({ status }: RunState, { unpublished }: Publication): boolean {
  return status === 'reviewing' && unpublished === undefined;
}
