import type { Effect } from '../contracts/effect.ts';
import type { Input } from '../contracts/input.ts';
import type { Rules } from '../contracts/rules.ts';
import {
  isAtRest,
  isUnderWay,
  pendingEscalation,
  type RunState,
  verificationName,
} from '../contracts/run-state.ts';
import { answerSource } from './answer-source.ts';
import { decideClaim } from './decide-claim.ts';
import { decideCommand } from './decide-command.ts';
import { type Decision, NOTHING } from './decision.ts';
import { evolve } from './evolve.ts';
import { expirePause, expireQuestion } from './expire-run.ts';
import { PAUSE_TIMER, reminderTime } from './expiry.ts';
import { endJob, refuseDispatch } from './jobs/end-job.ts';
import { pauseClaimedTwice } from './jobs/pause-claimed-twice.ts';
import { pauseOverBudget } from './jobs/pause-over-budget.ts';
import { replaceLostJob } from './jobs/replace-lost-job.ts';
import { judgeRun, recordReopened } from './judge-run.ts';
import { askRevision, REVISION_TIMER } from './revise/ask-revision.ts';
import { describeWait } from './revise/describe-wait.ts';
import { endRevision } from './revise/end-revision.ts';
import { moveRevision } from './revise/move-revision.ts';
import { reportCi } from './revise/report-ci.ts';
import { refuseRevision, startRevision } from './revise/start-revision.ts';
import { decideVerification, requestVerification } from './verify-afresh.ts';

/** All rules of a run as a pure function: from its state and an input to the events to journal and the effects to perform. */
export function decide(state: RunState | undefined, input: Input, rules: Rules): Decision {
  const decision = decideInput(state, input, rules);
  const told = state ? describeWait(state, endRevision(state, decision)) : decision;
  return nameJobs(state, publishUnverified(state, told));
}

/** The work of a parked job was not published while it was verified. Without a result the run continues, and people see the work. */
function publishUnverified(state: RunState | undefined, decision: Decision): Decision {
  if (state?.verifying === undefined || state.job_live || state.revision) return decision;
  const after = decision.events.reduce<RunState>(evolve, state);
  if (after.verifying !== undefined || !isUnderWay(after)) return decision;
  return { ...decision, effects: [{ type: 'publish', ready: false }, ...decision.effects] };
}

function decideInput(state: RunState | undefined, input: Input, rules: Rules): Decision {
  if (input.type === 'request') {
    if (state) return NOTHING;
    const { type: _, reply, ...requested } = input;
    const told: Effect[] = reply ? [{ type: 'reply', reply }] : [];
    return {
      events: [{ ...requested, type: 'run_requested' }],
      effects: [{ type: 'update_status' }, { type: 'dispatch_job' }, ...told],
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
    case 'revision_asked':
      return isAtRest(state) || state.revision ? askRevision(state, input) : NOTHING;
    case 'revise':
      return startRevision(state, input, rules);
    case 'revision_refused':
      return refuseRevision(state, input);
    case 'head_moved':
      return moveRevision(state, input);
    case 'ci_finished':
      return reportCi(state, input, rules);
    case 'timer':
      return decideTimer(state, input);
    case 'job_lost':
      return decideLostJob(state, input, rules);
    case 'job_ended':
      return endJob(state, input, rules);
    case 'ticket_claimed_twice':
      return pauseClaimedTwice(state, input, rules);
    case 'dispatch_refused':
      return refuseDispatch(state, input, rules);
    case 'budget_reached':
      return pauseOverBudget(state, input);
  }
}

/** a dispatch belongs to the job it was decided for, so that the end of another job is never charged to it. */
function nameJobs(before: RunState | undefined, { events, effects }: Decision): Decision {
  if (!effects.some(({ type }) => type === 'dispatch_job' || type === 'dispatch_verification'))
    return { events, effects };
  const state = events.reduce<RunState | undefined>(evolve, before);
  if (!state) return { events, effects };
  return { events, effects: effects.map((effect) => nameJob(effect, state)) };
}

function nameJob(effect: Effect, state: RunState): Effect {
  if (effect.type === 'dispatch_job') return { ...effect, job: state.jobs + 1 };
  if (effect.type !== 'dispatch_verification') return effect;
  return { ...effect, job: state.jobs, verification: verificationName(state) };
}

/** The timer after which the description is written again, because remarks have changed (V-2). */
export const DESCRIBE_TIMER = 'describe';

/** E-12: an unanswered question is repeated until it is answered, or until it expires if the config has a limit (P-10). */
function decideTimer(state: RunState, input: Extract<Input, { type: 'timer' }>): Decision {
  if (input.timer === REVISION_TIMER)
    return state.status === 'reviewing' ? { events: [], effects: [{ type: 'collect_revision' }] } : NOTHING;
  if (input.timer === DESCRIBE_TIMER)
    return state.status === 'reviewing' ? { events: [], effects: [{ type: 'describe_pull' }] } : NOTHING;
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
      {
        type: 'set_timer',
        timer: input.timer,
        at: reminderTime(state, { ...pending, reminders: number }, input.at),
      },
    ],
  };
}

/** Only a reply: the job may continue or fail, and people see why its work does not appear. */
function refuseChangeset(state: RunState, problem: string): Decision {
  if (!isUnderWay(state)) return NOTHING;
  const title = 'The job sent work that cannot be committed, so it was rejected.';
  return { events: [], effects: [{ type: 'reply', reply: { tone: 'refused', title, detail: problem } }] };
}

function decideLostJob(state: RunState, input: Extract<Input, { type: 'job_lost' }>, rules: Rules): Decision {
  if (!isUnderWay(state)) return NOTHING;
  if (input.verifying) {
    const { at, reason, log_url } = input;
    return state.verifying === undefined ? NOTHING : requestVerification(state, at, { reason, log_url });
  }
  if (!state.job_live) return NOTHING;
  const { at, reason, resumed } = input;
  return replaceLostJob(state, { type: 'job_lost', at, reason, resumed }, input.log_url, rules);
}
