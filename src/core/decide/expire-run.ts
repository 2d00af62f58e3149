import type { Escalation } from '../contracts/escalation.ts';
import type { RunState } from '../contracts/run-state.ts';
import { closeUnanswered } from './close-question.ts';
import { type Decision, NOTHING } from './decision.ts';
import { expiryOf, isExpired, pauseExpiry, spanInWords } from './expiry.ts';
import { finishRun } from './finish-run.ts';

/** The author of an expiry, which no person caused. */
const SELF = 'autobuild';

/** P-10: the question was open for as long as the config allows. The run ends as if it were cancelled. */
export function expireQuestion(state: RunState, pending: Escalation, at: string): Decision {
  if (!isExpired(expiryOf(state, pending.created_at), at)) return NOTHING;
  const span = waitedFor(pending.created_at, at);
  const reason =
    pending.responses.length > 0 ? `the question stayed open for ${span}` : `nobody answered for ${span}`;
  return closeUnanswered(pending, { at, by: SELF }, finish(at, reason));
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
