import type { Input } from '../contracts/input.ts';
import type { Rules } from '../contracts/rules.ts';
import { isUnderWay, pendingEscalation, type RunState } from '../contracts/run-state.ts';
import { answerSource } from './answer-source.ts';
import { decideClaim } from './decide-claim.ts';
import { decideCommand } from './decide-command.ts';
import { type Decision, NOTHING } from './decision.ts';
import { expirePause, expireQuestion } from './expire-run.ts';
import { PAUSE_TIMER } from './expiry.ts';
import { endJob, refuseDispatch } from './jobs/end-job.ts';
import { nameJobs } from './jobs/name-jobs.ts';
import { replaceLostJob } from './jobs/replace-lost-job.ts';
import { judgeRun, recordReopened } from './judge-run.ts';
import { reminderTime } from './raise-escalation.ts';
import { decideVerification, requestVerification } from './verify-afresh.ts';

/** All rules of a run as a pure function: from its state and an input to the events to journal and the effects to perform. */
export function decide(state: RunState | undefined, input: Input, rules: Rules): Decision {
  return nameJobs(state, decideInput(state, input, rules));
}

function decideInput(state: RunState | undefined, input: Input, rules: Rules): Decision {
  if (input.type === 'request') {
    if (state) return NOTHING;
    const { type: _, ...requested } = input;
    return {
      events: [{ ...requested, type: 'run_requested' }],
      effects: [{ type: 'update_status' }, { type: 'dispatch_job' }],
    };
  }
  if (!state) return NOTHING;
  switch (input.type) {
    case 'claim':
      return decideClaim(state, input.envelope, rules, input.work);
    case 'changeset_refused':
      return refuseChangeset(state, input.problem);
    case 'command':
      return answerSource(state, input, decideCommand(state, input, rules));
    case 'write':
      return { events: [], effects: input.effects };
    case 'verification':
      return decideVerification(state, input, rules);
    case 'judged':
      return judgeRun(state, input);
    case 'reopened':
      return recordReopened(state, input);
    case 'timer':
      return decideTimer(state, input);
    case 'job_lost':
      return decideLostJob(state, input);
    case 'job_ended':
      return endJob(state, input);
    case 'dispatch_refused':
      return refuseDispatch(state, input);
  }
}

/** E-12: an unanswered question is repeated until it is answered, or until it expires if the config has a limit (P-10). */
function decideTimer(state: RunState, input: Extract<Input, { type: 'timer' }>): Decision {
  if (input.timer === PAUSE_TIMER) return expirePause(state, input.at);
  const pending = pendingEscalation(state);
  if (!pending || input.timer !== `reminder:${pending.id}`) return NOTHING;
  const expired = expireQuestion(state, pending, input.at);
  if (expired !== NOTHING) return expired;
  const number = pending.reminders + 1;
  return {
    events: [{ type: 'reminder_sent', at: input.at, escalation: pending.id, number }],
    effects: [
      { type: 'notify', escalation: pending.id, priority: pending.priority, reminder: number },
      { type: 'set_timer', timer: input.timer, at: reminderTime(state, pending, input.at) },
    ],
  };
}

/** Only a reply: the job may continue or fail, and people see why its work does not appear. */
function refuseChangeset(state: RunState, problem: string): Decision {
  if (!isUnderWay(state)) return NOTHING;
  const title = 'The job sent work that cannot be committed; it was not taken.';
  return { events: [], effects: [{ type: 'reply', reply: { tone: 'refused', title, detail: problem } }] };
}

function decideLostJob(state: RunState, input: Extract<Input, { type: 'job_lost' }>): Decision {
  if (!isUnderWay(state)) return NOTHING;
  if (input.verifying) {
    return state.verifying === undefined ? NOTHING : requestVerification(state, input.at);
  }
  if (!state.job_live) return NOTHING;
  const { at, reason, resumed } = input;
  return replaceLostJob(state, { type: 'job_lost', at, reason, resumed }, input.log_url);
}
