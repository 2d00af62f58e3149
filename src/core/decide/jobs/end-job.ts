import type { Effect, Reply } from '../../contracts/effect.ts';
import type { Input } from '../../contracts/input.ts';
import type { Rules } from '../../contracts/rules.ts';
import type { RunEvent } from '../../contracts/run-event.ts';
import { isUnderWay, phaseOf, type RunState, verificationName } from '../../contracts/run-state.ts';
import { type Decision, NOTHING } from '../decision.ts';
import { setPauseTimer } from '../expiry.ts';
import { requestVerification } from '../verify-afresh.ts';
import { askAboutJobs } from './ask-about-jobs.ts';
import { replaceLostJob } from './replace-lost-job.ts';

type Ended = Extract<Input, { type: 'job_ended' }>;
type Refused = Extract<Input, { type: 'dispatch_refused' }>;

/** a job that ended without its last word is replaced, a bounded number of times, or a person is asked. */
export function endJob(state: RunState, ended: Ended, rules: Rules): Decision {
  if (!isUnderWay(state)) return NOTHING;
  if (ended.kind === 'verify') {
    const { at, outcome: reason, log_url } = ended;
    return isAwaited(state, ended) ? requestVerification(state, at, { reason, log_url }) : NOTHING;
  }
  if (ended.cancelled && isNewest(state, ended.job)) return pauseCancelled(state, ended, rules);
  if (ended.job !== neededJob(state)) return NOTHING;
  const { at, outcome: reason } = ended;
  const lost: RunEvent = { type: 'job_lost', at, reason };
  // The successor of a job that was to answer or to wait is dispatched by the answer.
  if (!state.job_live && phaseOf(state) !== 'working') return NOTHING;
  return replaceLostJob(state, lost, ended.log_url, rules);
}

/** The number of the job that the run needs now. Undefined while only a verification is needed. */
export function neededJob(state: RunState): number | undefined {
  if (state.job_live) return state.jobs;
  return state.verifying === undefined ? state.jobs + 1 : undefined;
}

export function isAwaited(state: RunState, { verification }: { verification?: string }): boolean {
  return state.verifying !== undefined && verification === verificationName(state);
}

/** The last job that began, or the one on its way. A cancelled job parks, so its successor may have been asked for already. */
function isNewest(state: RunState, job: number): boolean {
  return state.verifying === undefined && (job === state.jobs || job === state.jobs + 1);
}

/**
 * Somebody pressed Cancel on the Actions page. Another job is not what they want; and because GitHub also cancels for reasons of
 * its own, the work is kept.
 */
function pauseCancelled(state: RunState, { at, log_url }: Ended, rules: Rules): Decision {
  // An open question stays, because the run waits for its answer already.
  if (phaseOf(state) === 'waiting') {
    return state.job_live ? replaceLostJob(state, cancelledJob(at), log_url, rules) : NOTHING;
  }
  const lost: RunEvent[] = state.job_live ? [cancelledJob(at)] : [];
  const reply: Reply = {
    tone: 'waiting',
    title: 'Paused: the job was cancelled in Actions.',
    detail:
      'The saved work is kept. Resume with `/continue` (starts a new job), or end the run with `/cancel`.',
  };
  return pause(state, at, lost, [{ type: 'reply', reply }]);
}

function cancelledJob(at: string): Extract<RunEvent, { type: 'job_lost' }> {
  return { type: 'job_lost', at, reason: 'the job was cancelled in Actions' };
}

/** GitHub does not start the job however often it is asked, so a person has to look. */
export function refuseDispatch(state: RunState, refused: Refused, rules: Rules): Decision {
  if (!isUnderWay(state)) return NOTHING;
  const { at, reply } = refused;
  if (refused.kind === 'verify') {
    if (!isAwaited(state, refused)) return NOTHING;
    const said: Effect[] = reply ? [{ type: 'reply', reply }] : [];
    const again = requestVerification(state, at, { reason: 'GitHub did not start it' });
    return { events: again.events, effects: [...said, ...again.effects] };
  }
  if (refused.job !== neededJob(state) || phaseOf(state) !== 'working') return NOTHING;
  const asked = askAboutJobs(
    state,
    {
      at,
      headline: reply ? asHeadline(reply.title) : 'GitHub does not start the job',
      why: reply?.detail ?? '',
      trigger: { guard: 'refused_job', threshold: null, observed: 1 },
    },
    rules,
  );
  return { events: asked.events, effects: [{ type: 'stop_job' }, ...asked.effects] };
}

function asHeadline(title: string): string {
  return `${title.charAt(0).toLowerCase()}${title.slice(1)}`.replace(/\.$/, '');
}

export function pause(
  state: RunState,
  at: string,
  before: RunEvent[],
  said: Effect[],
  overBudget?: string,
): Decision {
  return {
    events: [...before, { type: 'run_paused', at, by: 'Autobuild', rearm: [], over_budget: overBudget }],
    effects: [{ type: 'stop_job' }, ...said, ...setPauseTimer(state, at), { type: 'update_status' }],
  };
}
