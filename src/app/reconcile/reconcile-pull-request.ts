import type { RunState } from '../../core/contracts/run-state.ts';
import type { GitHub, PullRequest } from '../../core/ports/github-port.ts';
import type { Place } from '../../core/ports/hosted-ports.ts';
import type { AppParts } from '../dependencies.ts';
import { noticeFate } from '../handlers/pull-request-closed.ts';
import { onPullRequestEdited } from '../handlers/pull-request-edited.ts';
import { onReviewSubmitted } from '../handlers/review-submitted.ts';
import { isBefore, labellingOf } from '../labelling.ts';
import { lastPerson } from '../last-person.ts';
import { newTicks } from '../ticked-boxes.ts';

const REVIEWED_EVERY_MS = 15 * 60_000;
/** Of the newest runs; what is older was judged long ago, or nobody wants it. */
const MOST_RUNS = 200;
/** GitHub tells times to the second and by its own clock: something may have come since, in the same one. */
const SAME_MOMENT_MS = 10 * 60_000;

/** A pull request of a run that goes on: its box, and what was written there since. One call where nothing has changed. */
export async function reconcilePullRequest(
  parts: AppParts,
  github: GitHub,
  state: RunState,
  place: Place,
  readComments: (pullRequest: number) => Promise<void>,
): Promise<void> {
  const pull = await readPullRequest(parts, github, state);
  if (!pull) return;
  await noticeFate(parts, github, state, place, pull);
  if (pull.merged) return;
  if (pull.state === 'open') await readBox(parts, github, place, pull);
  const mark = `pull-read:${state.run}`;
  if ((await parts.store.marks.get(mark)) === pull.updated_at) return;
  await readComments(pull.number);
  const { at } = await labellingOf(parts, state);
  for (const review of await github.reviews(pull.number)) {
    if (review.author_type !== 'User' || isBefore(review.submitted_at, at)) continue;
    await onReviewSubmitted(parts, github, {
      review,
      login: review.author,
      repo_id: place.repo_id,
      number: pull.number,
      foundLate: true,
    });
  }
  const settled = parts.now().getTime() - Date.parse(pull.updated_at) > SAME_MOMENT_MS;
  if (settled) await parts.store.marks.set(mark, pull.updated_at);
}

/** Runs that wait for their pull request to be judged are active no more; they are looked at now and then. */
export async function reconcileReviewing(parts: AppParts): Promise<void> {
  const mark = 'reviewing-read';
  const last = await parts.store.marks.get(mark);
  if (last && parts.now().getTime() - Date.parse(last) < REVIEWED_EVERY_MS) return;
  await parts.store.marks.set(mark, parts.now().toISOString());
  for (const run of await parts.store.runs.list(MOST_RUNS)) {
    const { state } = await parts.store.runs.load(run);
    const place = await parts.store.runs.place(run);
    if (state?.status !== 'reviewing' || !place) continue;
    try {
      await readVerdict(parts, await parts.github(place), state, place);
    } catch (error) {
      parts.log.warn({ run, error: String(error) }, 'the pull request of this run could not be read');
    }
  }
}

async function readVerdict(parts: AppParts, github: GitHub, state: RunState, place: Place): Promise<void> {
  const pull = await readPullRequest(parts, github, state);
  if (!pull) return;
  if (pull.state === 'open') return readBox(parts, github, place, pull);
  await noticeFate(parts, github, state, place, pull);
}

async function readPullRequest(
  parts: AppParts,
  github: GitHub,
  { run }: RunState,
): Promise<PullRequest | undefined> {
  const number = await parts.store.marks.get(`pull-of:${run}`);
  return number === undefined ? undefined : github.pullRequest(Number(number));
}

/** A tick found late is that of whoever edited the description last. */
async function readBox(parts: AppParts, github: GitHub, place: Place, pull: PullRequest): Promise<void> {
  const { number, body } = pull;
  if (newTicks('', body).length === 0) return;
  const login = await lastPerson(github, pull.node_id);
  const { repo_id } = place;
  await onPullRequestEdited(parts, github, { repo_id, number, before: '', body, login });
}
