import type { RunState } from '../../core/contracts/run-state.ts';
import { type GitHub, GitHubError, type GitHubIssue } from '../../core/ports/github-port.ts';
import type { Place } from '../../core/ports/hosted-ports.ts';
import { aliveMark } from '../../core/ports/job-api.ts';
import { isSameLabel } from '../../core/same-label.ts';
import type { AppParts } from '../dependencies.ts';
import { performEffect } from '../effects/perform-effect.ts';
import { onCommentCreated } from '../handlers/comment-created.ts';
import { onCommentEdited } from '../handlers/comment-edited.ts';
import { cancelBecause } from '../handlers/installation.ts';
import { onIssueGone, onWorkflowRunCompleted } from '../handlers/run-over.ts';
import { isBefore, labellingOf } from '../labelling.ts';
import { lastDispatch } from '../last-dispatch.ts';
import { lastPerson } from '../last-person.ts';
import { newTicks } from '../ticked-boxes.ts';
import type { Ending } from '../who-ended.ts';
import { whyUnreachable } from '../why-unreachable.ts';
import { reconcileLabels } from './reconcile-labels.ts';
import { reconcilePullRequest, reconcileReviewing } from './reconcile-pull-request.ts';
import { redeliverFailed } from './redeliver.ts';

/** A job that says nothing for so long is looked after. */
const SILENT_MS = 180_000;
/** GitHub lists a comment a little later than it was written. What was handled is not handled again. */
const OVERLAP_MS = 60_000;

/** Reads GitHub again, so that no lost webhook loses a command: what it finds goes to the same handlers. */
export async function reconcile(parts: AppParts): Promise<void> {
  await redeliverFailed(parts);
  for (const run of await parts.store.runs.active()) {
    try {
      await reconcileRun(parts, run);
    } catch (error) {
      parts.log.warn({ run, error: String(error) }, 'this run could not be reconciled');
    }
  }
  await reconcileReviewing(parts);
  await reconcileLabels(parts);
}

async function reconcileRun(parts: AppParts, run: string): Promise<void> {
  const { state } = await parts.store.runs.load(run);
  const place = await parts.store.runs.place(run);
  if (!state || !place) return;
  const github = await parts.github(place);
  const issue = await github.issue(place.issue).catch(async (error: unknown) => {
    // Refused, not gone: the App may have been suspended without our hearing of it.
    if (!(error instanceof GitHubError) || ![401, 403].includes(error.status)) throw error;
    if (!(await whyUnreachable(parts, place))) throw error;
  });
  const because = issue ? undefined : await whyUnreachable(parts, place);
  if (because) return cancelBecause(parts, run, { by: 'someone', because, seen: `gone:${run}` });
  if (!issue || endingOf(parts, issue)) {
    await onIssueGone(parts, {
      repo_id: place.repo_id,
      issue: place.issue,
      ending: issue ? endingOf(parts, issue) : undefined,
      seen: `gone:${run}`,
    });
    // Nobody but us, or the merge of its pull request, which is seen below.
    if (!issue || !(await parts.store.runs.active()).includes(run)) return;
  }
  await lookForQuestion(parts, github, state, issue);
  await readComments(parts, github, state, place, place.issue);
  await reconcilePullRequest(parts, github, state, place, (pullRequest) =>
    readComments(parts, github, state, place, pullRequest),
  );
  await lookAfterJob(parts, github, state);
}

function endingOf({ settings }: AppParts, { state, locked, labels }: GitHubIssue): Ending {
  if (state === 'closed') return 'closed';
  if (locked) return 'locked';
  return labels.some((label) => isSameLabel(label, settings.label)) ? undefined : 'unlabeled';
}

/** An open question whose comment somebody deleted is asked anew, and what links to it follows. Free where nothing changed. */
async function lookForQuestion(
  parts: AppParts,
  github: GitHub,
  { run, pending }: RunState,
  { comments, updated_at }: GitHubIssue,
): Promise<void> {
  const { store } = parts;
  const known = pending && (await store.comments.find(run, `${run}.${pending}`));
  const mark = `question-looked:${run}`;
  const now = `${pending} ${comments} ${updated_at}`;
  if (!known || (await store.marks.get(mark)) === now) return;
  if (!(await github.comment(known.comment_id))) {
    const id = `${run}.${pending}.again`;
    await performEffect(parts, { id, run, effect: { type: 'ask', escalation: pending } });
    await performEffect(parts, { id, run, effect: { type: 'update_status' } });
  }
  await store.marks.set(mark, now);
}

async function readComments(
  parts: AppParts,
  github: GitHub,
  state: RunState,
  place: Place,
  number: number,
): Promise<void> {
  const isPullRequest = number !== place.issue;
  const mark = `comments-seen:${state.run}:${number}`;
  const { at } = await labellingOf(parts, state);
  // By GitHub's clock: the newest that was read.
  let newest = (await parts.store.marks.get(mark)) ?? at;
  const since = new Date(Date.parse(newest) - OVERLAP_MS).toISOString();
  for (const comment of await github.comments(number, since)) {
    if (Date.parse(comment.updated_at) > Date.parse(newest)) newest = comment.updated_at;
    if (comment.app_id === parts.settings.appId) {
      await readTicks(parts, github, place, comment);
    } else if (comment.author_type === 'User' && !isBefore(comment.created_at, at)) {
      const { author: login } = comment;
      await onCommentCreated(parts, github, {
        comment,
        login,
        repo_id: place.repo_id,
        number,
        isPullRequest,
        foundLate: true,
      });
    }
  }
  await parts.store.marks.set(mark, newest);
}

/** A tick found late needs its editor from GitHub; without one it is asked for again. */
async function readTicks(
  parts: AppParts,
  github: GitHub,
  place: Place,
  comment: { id: number; node_id: string; body: string; app_id?: number; updated_at: string },
): Promise<void> {
  if (newTicks('', comment.body).length === 0) return;
  const login = await lastPerson(github, comment.node_id);
  await onCommentEdited(parts, github, { comment, before: '', login, issue: place.issue });
}

async function lookAfterJob(parts: AppParts, github: GitHub, state: RunState): Promise<void> {
  const { run } = state;
  const newest = await lastDispatch(parts, run);
  const claimed = await parts.store.tokens.actionsRunOf(run, state.jobs);
  const sign = (await parts.store.marks.get(aliveMark(run, state.jobs))) ?? newest?.at;
  if (sign && parts.now().getTime() - Date.parse(sign) < SILENT_MS) return;
  // The newest one asked for is the one that counts, also when it never began.
  const id = newest?.actions_run ?? claimed?.actions_run;
  const actions = id === undefined ? undefined : await github.workflowRun(id);
  if (id === undefined || actions?.status !== 'completed') return;
  const { attempt, conclusion } = actions;
  await onWorkflowRunCompleted(parts, { run, actions_run: id, attempt, conclusion });
}
