import type { Effect } from '../contracts/effect.ts';
import type { GuardStates } from '../contracts/guard.ts';
import type { Input } from '../contracts/input.ts';
import type { Rules } from '../contracts/rules.ts';
import type { RunEvent, TurnRecord } from '../contracts/run-event.ts';
import { isUnderWay, type RunState, waitsOverClosedPull } from '../contracts/run-state.ts';
import type { LostVerification, Verification } from '../contracts/verification.ts';
import { resultSignature } from '../errors/error-signature.ts';
import { passes } from './completion.ts';
import { rearmedUnheard, withOwnCount } from './count-at-desk.ts';
import { type Decision, NOTHING } from './decision.ts';
import { evolve } from './evolve.ts';
import { finishRun } from './finish-run.ts';
import { measureAtDesk } from './measure-at-desk.ts';
import { instructNextTurn } from './orders/instruct-next-turn.ts';
import { raiseEscalation } from './raise-escalation.ts';

/** Attempts with fresh jobs that never report. After these the result is published as not verified. */
const ATTEMPTS = 3;
export const UNVERIFIED = 'complete, but not verified on a clean checkout';

/** Called when the player reports completion, the job's checks pass, and no file needs approval. */
export function completeRun(state: RunState, record: TurnRecord, at: string): Decision {
  if (state.fresh_verification) return requestVerification(state, at);
  const partial = record.verification?.ok !== true;
  const reason = partial ? 'complete except for known issues' : 'all checks pass';
  return finishRun({ at, status: 'reviewing', partial, reason });
}

/**
 * The job shares a machine with the agent, so its passing checks are confirmed by a fresh job without secrets. `lost`: how the one
 * before ended, which had no result.
 */
export function requestVerification(state: RunState, at: string, lost?: LostVerification): Decision {
  const attempt = (state.verifying ?? 0) + 1;
  if (attempt > ATTEMPTS) {
    return finishRun({
      ...{ at, status: 'reviewing', partial: true, reason: UNVERIFIED },
      ...(lost && { lost_verification: lost }),
    });
  }
  return {
    events: [{ type: 'verification_requested', at, attempt }],
    effects: [{ type: 'dispatch_verification' }, { type: 'update_status' }],
  };
}

export function decideVerification(
  state: RunState,
  { at, verification, changeset, with_base }: Extract<Input, { type: 'verification' }>,
  rules: Rules,
): Decision {
  if (state.verifying === undefined || !isUnderWay(state)) return NOTHING;
  if (state.changeset !== undefined && changeset !== state.changeset) return dropResult(state, at, rules);
  const reported = { type: 'verification_reported' as const, at, verification, changeset, with_base };
  if (passes(verification, state.known_issues)) {
    const partial = !verification.ok;
    const reason = partial ? 'complete except for known issues' : 'all checks pass';
    const finished = finishRun({ at, status: 'reviewing', partial, reason });
    return { events: [reported, ...finished.events], effects: finished.effects };
  }
  // A failure on a clean checkout is feedback like any other, and the next turn starts with it.
  const failed: RunEvent = { ...reported, guards: countFailure(state, at, verification, rules) };
  const after = evolve(state, failed);
  const asked = askWhatTripped(after, at, rules);
  if (asked) return { events: [failed, ...asked.events], effects: asked.effects };
  return {
    events: [failed],
    effects: [...(after.job_live ? [] : [{ type: 'dispatch_job' as const }]), { type: 'update_status' }],
  };
}

/** E-2: the fresh job's result counts like any other failed verification. */
function countFailure(state: RunState, at: string, verification: Verification, rules: Rules): GuardStates {
  const { ok, tests, checks } = verification;
  const signature = resultSignature({ ok, tests, errors: checks.flatMap(({ errors }) => errors) });
  return rules.observe(state.guards, { type: 'verified', at, turn: state.turn, verification, signature });
}

/** Completion won over the guards at the end of the turn (K-10). The work was not complete, so they count as after any other turn. */
function askWhatTripped(state: RunState, at: string, rules: Rules): Decision | undefined {
  if (state.pending || state.paused || waitsOverClosedPull(state)) return undefined;
  const rearmed = rearmedUnheard(state);
  const claimed = rules.tripped(state.guards, state.limits).filter(({ guard }) => !rearmed.has(guard));
  const triggers = withOwnCount(claimed, state, rules);
  if (triggers.length === 0) return undefined;
  return raiseEscalation(state, triggers, measureAtDesk(state, at, rules), at, rules, false);
}

/** the verified work is not the work that was examined and approved. The agent reports again, and approvals are asked for again. */
function dropResult(state: RunState, at: string, rules: Rules): Decision {
  const dropped: RunEvent = { type: 'verification_dropped', at, by: 'Autobuild' };
  const title = 'The verification does not count: the files changed after they were examined.';
  const replies: Effect[] = [
    { type: 'reply', reply: { tone: 'refused', title, detail: 'The agent has to report again.' } },
    { type: 'update_status' },
  ];
  if (state.pending || state.paused) return { events: [dropped], effects: replies };
  const instructed = instructNextTurn(at, {
    id: `changed.${state.turns.length}`,
    command: 'guide',
    by: 'autobuild',
    instruction:
      'The files changed after you reported the work complete, so it was rejected. Check it, and report again.',
  });
  const events = [dropped, ...instructed.events];
  const asked = askWhatTripped(events.reduce(evolve, state), at, rules);
  if (asked) return { events: [...events, ...asked.events], effects: [...replies, ...asked.effects] };
  return {
    events,
    effects: [...replies, ...(state.job_live ? [] : [{ type: 'dispatch_job' as const }])],
  };
}
