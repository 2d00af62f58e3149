import { passes } from './completion.ts';
import { type Decision, NOTHING } from './decision.ts';
import type { Effect } from './effect.ts';
import { evolve } from './evolve.ts';
import { finishRun } from './finish-run.ts';
import type { RunEvent, TurnRecord } from './run-event.ts';
import { isFinished, type RunState } from './run-state.ts';
import { tellNextTurn } from './tell-next-turn.ts';
import type { Verification } from './verification.ts';

/** A fresh job that never reports is tried again this often; then the result is handed to people as not verified. */
const ATTEMPTS = 3;

/** The player says it is done, the job's checks agree, and nothing in the work waits for a person. */
export function completeRun(state: RunState, record: TurnRecord, at: string): Decision {
  if (state.fresh_verification) return requestVerification(state, at);
  const partial = record.verification?.ok !== true;
  const reason = partial ? 'complete but for known issues' : 'complete and verified';
  return finishRun({ at, status: 'reviewing', partial, reason });
}

/** The job's own checks passed. It shares a machine with the agent, so a fresh one without secrets has the last word. */
export function requestVerification(state: RunState, at: string): Decision {
  const attempt = (state.verifying ?? 0) + 1;
  if (attempt > ATTEMPTS) {
    const reason = 'complete, but no fresh job could verify it';
    return finishRun({ at, status: 'reviewing', partial: true, reason });
  }
  return {
    events: [{ type: 'verification_requested', at, attempt }],
    effects: [{ type: 'dispatch_verification' }, { type: 'update_status' }],
  };
}

export function decideVerification(
  state: RunState,
  at: string,
  verification: Verification,
  changeset?: string,
): Decision {
  if (state.verifying === undefined || isFinished(state)) return NOTHING;
  if (state.changeset !== undefined && changeset !== state.changeset) return dropResult(state, at);
  const reported: RunEvent = { type: 'verification_reported', at, verification, changeset };
  if (passes(verification, state.known_issues)) {
    const partial = !verification.ok;
    const reason = partial ? 'complete but for known issues' : 'complete and verified';
    const finished = finishRun({ at, status: 'reviewing', partial, reason });
    return { events: [reported, ...finished.events], effects: finished.effects };
  }
  // What fails on a clean checkout is feedback like any other: the next turn starts with it.
  const after = evolve(state, reported);
  return {
    events: [reported],
    effects: [...(after.job_live ? [] : [{ type: 'dispatch_job' as const }]), { type: 'update_status' }],
  };
}

/** not the work that was examined and approved, whatever became of it. The agent reports anew, and people are asked anew. */
function dropResult(state: RunState, at: string): Decision {
  const dropped: RunEvent = { type: 'verification_dropped', at, by: 'Autobuild' };
  const title = 'The result of the verification does not count: the work was changed after it was examined.';
  const said: Effect[] = [
    { type: 'reply', reply: { tone: 'refused', title, detail: 'The agent has to report it again.' } },
    { type: 'update_status' },
  ];
  if (state.pending || state.paused) return { events: [dropped], effects: said };
  const told = tellNextTurn(at, {
    id: `changed.${state.turns.length}`,
    command: 'guide',
    by: 'autobuild',
    instruction:
      'The work was changed after you had reported it complete, so it was not taken. Look at it once more, and report again.',
  });
  return {
    events: [dropped, ...told.events],
    effects: [...said, ...(state.job_live ? [] : [{ type: 'dispatch_job' as const }])],
  };
}
