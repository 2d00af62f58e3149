import type { Unpublished } from '../core/contracts/comment-context.ts';
import type { RunState } from '../core/contracts/run-state.ts';
import type { AppDependencies } from './dependencies.ts';

type Store = Pick<AppDependencies, 'store'>;

const markOf = (run: string) => `unpublished:${run}`;

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

/** Why the work is not, or not completely, on the pull request. Undefined if it is. */
export async function whyUnpublished({ store }: Store, run: string): Promise<Unpublished | undefined> {
  const text = await store.marks.get(markOf(run));
  return text ? JSON.parse(text) : undefined;
}

/** True if the run has just ended and the result of publishing is not known yet. */
export async function isPublishingDue({ store }: Store, { run, status }: RunState): Promise<boolean> {
  return status === 'reviewing' && (await store.marks.get(markOf(run))) === undefined;
}

export async function rememberUnpublished(
  { store }: Store,
  run: string,
  why: Unpublished | undefined,
): Promise<void> {
  await store.marks.set(markOf(run), why ? JSON.stringify(why) : '');
}
