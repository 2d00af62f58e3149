import * as z from 'zod';
import { HARD_BLOCKERS, hardBlocker } from '../core/contracts/agent/blockers.ts';
import { hardBlockersOf, type PlayerReport, type ReadReport } from '../core/contracts/agent/player-report.ts';
import { Evidence, type Guard, type Hint } from '../core/contracts/guard.ts';
import { switchLimit } from './counting/limit-schema.ts';
import { acceptCurrent, cancel, handInAgain, orderOptions, review } from './words/options.ts';
import { oneLine, plural } from './words/wording.ts';

const ReviewState = z.object({ asked: Evidence.nullable() });
type ReviewState = z.infer<typeof ReviewState>;

const initial: ReviewState = { asked: null };

const NOTHING_SHOWS_IT =
  'The checks pass without any work and no file was changed, so nothing shows that the task is done';

const HINT: Hint = {
  text: 'After resolving, reply `/continue`. Later edits to the issue are not read, so put a decision into your reply',
  command: '/override <what to build instead>',
  first: true,
};

function describeMissing(files: number): string {
  return `The job reports ${plural(files, 'changed file')}, but what it left is missing or cannot be read. Nothing of it can be verified or published.`;
}

/** K-5, K-10. Trips on one flag of the player's report, its status `blocked`, or a completion without work; never on how sure the player sounds. */
export const reviewRequired: Guard<ReviewState, 'on'> = {
  id: 'review_required',
  trips:
    "the agent's report asks for a review or says that it is blocked, or it says that it is done although the checks pass without any work and no file was changed.",
  names: 'cause',
  header: 'Review Required',
  counter: 'Review requested',
  category: 'unclear_requirement',
  type: 'review_required',
  kind: 'blocker_type',
  ...switchLimit(),
  initial,
  state: ReviewState,
  reduce(state, event) {
    if (event.type === 'agent_changed' || event.type === 'turn_started') return initial;
    if (event.type === 'rearmed') return event.guards.includes('review_required') ? initial : state;
    if (event.type !== 'report_received') return state;
    const { report } = event.read;
    const stops = report.requires_user_review || report.status === 'blocked';
    return stops ? { asked: readReview(event.read) } : state;
  },
  check({ asked }) {
    if (!asked) return undefined;
    return { guard: 'review_required', kind: 'blocker_type', threshold: null, observed: 1, evidence: asked };
  },
  examine({ nothing_changed, missing_work }, limit) {
    if (!(nothing_changed || missing_work) || limit === 'off') return undefined;
    return {
      guard: 'review_required',
      kind: 'blocker_type',
      threshold: null,
      observed: 1,
      evidence: missing_work ? { missing_work } : { nothing_changed: true },
    };
  },
  headline({ evidence }) {
    if (evidence.missing_work) return 'the agent says it is done, but its work cannot be read';
    if (evidence.nothing_changed) return 'the agent says it is done, but no file was changed';
    const [type, ...others] = evidence.review_types ?? [];
    const blocker = type !== undefined && others.length === 0 ? hardBlocker(type) : undefined;
    return blocker ? HARD_BLOCKERS[blocker].headline : 'the agent needs a decision';
  },
  question({ evidence }) {
    if (evidence.missing_work) return `${describeMissing(evidence.missing_work)} How to proceed?`;
    const given = evidence.nothing_changed
      ? NOTHING_SHOWS_IT
      : (evidence.review_reason ?? 'the agent gave no reason');
    const reason = oneLine(given, 500).replace(/[.\s]+$/, '');
    return `USER REVIEW REQUIRED: ${reason}. After resolving, reply \`/continue\`. How to proceed?`;
  },
  why({ evidence }) {
    if (evidence.missing_work) return describeMissing(evidence.missing_work);
    return evidence.nothing_changed ? `${NOTHING_SHOWS_IT}.` : '';
  },
  hintOf: ({ evidence }) => (evidence.missing_work ? undefined : HINT),
  options({ evidence }, progress) {
    // There is nothing to accept.
    if (evidence.missing_work) return orderOptions([handInAgain, review, cancel]);
    return orderOptions([acceptCurrent(progress), review, cancel]);
  },
};

function readReview({ report, problems, derived_from }: ReadReport & { report: PlayerReport }): Evidence {
  const types = hardBlockersOf(report);
  const reason =
    report.review_reason ||
    report.blocked_report?.human_action_required ||
    report.errors.find((error) => hardBlocker(error.type) && error.recoverable !== true)?.message;
  return {
    ...(reason && { review_reason: reason }),
    review_types: types,
    ...(derived_from.length > 0 && { review_derived: true }),
    ...(problems.length > 0 && { report_problems: problems }),
  };
}
