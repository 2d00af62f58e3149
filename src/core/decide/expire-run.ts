import type { Escalation } from '../contracts/escalation.ts';
import type { RunEvent } from '../contracts/run-event.ts';
import { isAtRest, type RunState } from '../contracts/run-state.ts';
import { closeUnanswered } from './close-question.ts';
import { type Decision, NOTHING } from './decision.ts';
import { expiryOf, isExpired, pauseExpiry, spanInWords } from './expiry.ts';
import { finishRun } from './finish-run.ts';

/** The author of an expiry, which no person caused. */
const SELF = 'autobuild';

/** P-10: the question was open for as long as the config allows. The run ends as if it were cancelled. */
export function expireQuestion(state: RunState, pending: Escalation, at: string): Decision {
  if (!isExpired(expiryOf(state, pending.created_at), at)) return NOTHING;
  if (isAtRest(state)) return leaveAtRest(state, pending, at);
  const span = waitedFor(pending.created_at, at);
  const reason =
    pending.responses.length > 0 ? `the question stayed open for ${span}` : `nobody answered for ${span}`;
  return closeUnanswered(pending, { at, by: SELF }, finish(at, reason));
}

/** V-1: the pull request is ready whether or not somebody wants more of it, so its run rests as after *Leave it*. */
function leaveAtRest(state: RunState, pending: Escalation, at: string): Decision {
  const about = state.ci?.find(({ escalation }) => escalation === pending.id);
  const left: RunEvent = about
    ? { type: 'ci_answered', at, number: about.number, answer: 'ignore', by: SELF }
    : { type: 'revision_dropped', at, reason: 'nobody answered' };
  const isAsked = about && state.asked_revisions?.length;
  return closeUnanswered(
    pending,
    { at, by: SELF },
    { events: [left], effects: isAsked ? [{ type: 'collect_revision' }] : [{ type: 'describe_pull' }] },
  );
}

export function expirePause(state: RunState, at: string): Decision {
  // A question that was asked meanwhile has an expiry of its own.
  if (!state.paused?.since || state.pending || !isExpired(pauseExpiry(state), at)) return NOTHING;
  return finish(at, `paused, and nobody continued it for ${waitedFor(state.paused.since, at)}`);
}

function finish(at: string, reason: string): Decision {
  return finishRun({ at, status: 'cancelled', partial: true, reason, by: SELF, expired: true });
}

function waitedFor(since: string, at: string): string {
  return spanInWords(Date.parse(at) - Date.parse(since));
}
