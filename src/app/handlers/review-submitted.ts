import { parseComment } from '../../commands/parse-comment.ts';
import type { Effect, Reply } from '../../core/contracts/effect.ts';
import { neededRole } from '../../core/contracts/role.ts';
import { isAtRest, type RunState } from '../../core/contracts/run-state.ts';
import { nextNumber } from '../../core/decide/revise/ask-revision.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { handleInput, write } from '../handle-input.ts';
import { handleText } from './handle-text.ts';
import { mayCommand } from './permission.ts';

interface Reviewed {
  review: { id: number; node_id: string; body: string; state?: string; url?: string; submitted_at?: string };
  login: string;
  repo_id: number;
  /** The number of the pull request. */
  number: number;
  /** Another App's review starts nothing, and its remarks are only counted. */
  isBot?: boolean;
  /** True if reconcile found it, not a webhook. */
  foundLate?: boolean;
}

/** Handles commands in a review's summary. A review that requests changes begins a round (V-2). */
export async function onReviewSubmitted(
  deps: AppDependencies,
  github: GitHub,
  reviewed: Reviewed,
): Promise<void> {
  const { review, login, repo_id, number } = reviewed;
  const run = await deps.store.publications.ofPull(repo_id, number);
  const isAsked = run && isRequest(review) && (await askForRound(deps, github, run, reviewed));
  if (run && !isAsked) await showOpenRemarks(deps, run, review);
  if (reviewed.isBot) return;
  await handleText(deps, github, {
    run,
    text: review.body,
    source: `review:${review.id}`,
    late: reviewed.foundLate ? review : undefined,
    issue: number,
    login,
    said_at: review.submitted_at,
    review: { node_id: review.node_id },
  });
}

/** V-2: remarks that begin no round are counted in the description, with a box. */
async function showOpenRemarks(
  deps: AppDependencies,
  run: string,
  { id }: Reviewed['review'],
): Promise<void> {
  const { state } = await deps.store.runs.load(run);
  if (state?.status === 'reviewing') await write(deps, run, [{ type: 'describe_pull' }], [`describe:${id}`]);
}

/** More remarks may follow within this time, and all of them are one round. */
const GATHER_MS = 60_000;

/** Webhooks have it in lower case, the API in upper case. A review with a command is handled as that command. */
function isRequest({ state, body }: Reviewed['review']): boolean {
  return state?.toLowerCase() === 'changes_requested' && parseComment(body).kind === 'ignore';
}

/** False if the review starts nothing. */
async function askForRound(
  deps: AppDependencies,
  github: GitHub,
  run: string,
  { review, login, number, isBot }: Reviewed,
): Promise<boolean> {
  const target = await deps.store.runs.target(run);
  const { state } = await deps.store.runs.load(run);
  const seen = `changes-requested:${review.id}`;
  if (!target || !state || isBot || target.revisions?.on_changes_requested === 'off') return false;
  if (!isAtRest(state) && !state.revision) return false;
  if (await deps.store.runs.wasSeen(seen)) return true;
  if (!(await mayCommand(github, login, neededRole(target.roles, 'continue')))) return false;
  if (target.revisions?.on_changes_requested === 'ask') {
    const effects: Effect[] = [{ type: 'reply', reply: askWhether(state, login), on: number }];
    await write(deps, run, [...effects, { type: 'describe_pull' }], [seen]);
    return true;
  }
  const at = deps.now();
  await handleInput(
    deps,
    run,
    {
      type: 'revision_asked',
      at: at.toISOString(),
      by: login,
      said_at: review.submitted_at,
      source: 'review',
      url: review.url,
      // A desk that is not there in a minute begins with the remarks that are there now.
      begins_at: deps.settings.capabilities.live
        ? new Date(at.getTime() + GATHER_MS).toISOString()
        : undefined,
      review: { node_id: review.node_id },
    },
    [seen],
  );
  return true;
}

/** With `ask`, a person decides. The box in the description is there while no round runs. */
function askWhether(state: RunState, login: string): Reply {
  const { revision } = state;
  return {
    tone: 'waiting',
    title: `${login} requested changes. Start round ${nextNumber(state)}?`,
    detail: revision
      ? `Round ${revision.number} is still running. To have the next one after it, reply:`
      : 'Tick the box in the description, or reply:',
    suggestion: '/continue',
  };
}
