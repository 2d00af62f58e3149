import type { Effect } from '../contracts/effect.ts';
import type { Input } from '../contracts/input.ts';
import type { RunEvent } from '../contracts/run-event.ts';
import { isFinished, pendingEscalation, type RunState } from '../contracts/run-state.ts';
import { closeUnanswered } from './close-question.ts';
import { type Decision, NOTHING } from './decision.ts';
import { setPauseTimer } from './expiry.ts';
import { finishRun } from './finish-run.ts';

type Judged = Extract<Input, { type: 'judged' }>;

/** The pull request's fate is the run's. */
export function judgeRun(state: RunState, input: Judged): Decision {
  const { at, by, outcome } = input;
  if (state.status === 'reviewing')
    return {
      events: [{ type: 'run_judged', at, status: outcome, by }],
      effects: [{ type: 'update_status' }],
    };
  if (isFinished(state)) return NOTHING;
  return outcome === 'approved' ? endMerged(state, at, by) : holdClosed(state, input);
}

/** C-6: what there was is what people wanted. Work on top of it would go to a branch that nobody looks at any more. */
function endMerged(state: RunState, at: string, by: string): Decision {
  const reason = `Task completed with partial results due to an early merge by ${by}`;
  const finished = finishRun({ at, status: 'approved', partial: true, reason, by });
  const pending = pendingEscalation(state);
  return pending ? closeUnanswered(pending, { at, by }, finished) : finished;
}

/** C-6: not merged, not cancelled either: the run waits until somebody says which it is. An open question waits already. */
function holdClosed(state: RunState, { at, by, pull }: Judged): Decision {
  if (pull === undefined || state.closed_pull?.number === pull) return NOTHING;
  const closed: RunEvent = { type: 'pull_request_closed', at, pull, by };
  const what = `pull request was closed by ${by}.`;
  const say = (title: string, goesOn: string): Effect => {
    const detail = `${goesOn} goes on with a new pull request, \`/cancel\` ends the run.`;
    return { type: 'reply', reply: { tone: 'waiting', title, detail } };
  };
  if (state.pending || state.paused) {
    const goesOn = state.pending ? 'The question stays open: an answer to it' : '`/continue`';
    return { events: [closed], effects: [{ type: 'update_status' }, say(`The ${what}`, goesOn)] };
  }
  const verifying = state.verifying !== undefined;
  return {
    events: [
      closed,
      ...(verifying ? [{ type: 'verification_dropped' as const, at, by }] : []),
      { type: 'run_paused', at, by, rearm: [] },
    ],
    effects: [
      ...(verifying ? [{ type: 'stop_verification' as const }] : []),
      { type: 'stop_job' },
      { type: 'update_status' },
      ...setPauseTimer(state, at),
      say(`Paused: the ${what}`, '`/continue`'),
    ],
  };
}

/** It is used again; whether the run goes on is another question. */
export function noteReopened(state: RunState, input: Extract<Input, { type: 'reopened' }>): Decision {
  const { at, by, pull } = input;
  if (state.closed_pull?.number !== pull) return NOTHING;
  return {
    events: [{ type: 'pull_request_reopened', at, pull, by }],
    effects: [{ type: 'update_status' }],
  };
}
