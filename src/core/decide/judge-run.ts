import type { Effect } from '../contracts/effect.ts';
import type { Input } from '../contracts/input.ts';
import type { RunEvent } from '../contracts/run-event.ts';
import { isAtRest, isUnderWay, pendingEscalation, type RunState } from '../contracts/run-state.ts';
import { closeUnanswered } from './close-question.ts';
import { type Decision, NOTHING } from './decision.ts';
import { setPauseTimer } from './expiry.ts';
import { finishRun } from './finish-run.ts';

type Judged = Extract<Input, { type: 'judged' }>;

/** A merged pull request approves the run; a closed one rejects it, or pauses a run that is not done. */
export function judgeRun(state: RunState, input: Judged): Decision {
  const { at, by, outcome } = input;
  if (isAtRest(state)) return settled(judgeAtRest(state, input), input, input.refused);
  if (!isUnderWay(state)) return settled(NOTHING, input);
  if (state.revision) return settled(judgeInRound(state, input), input);
  return outcome === 'approved' ? settled(endMerged(state, at, by), input) : pauseForClosedPull(state, input);
}

/** nobody looks at the pull request again, so what is left to do about it is decided with its end. */
function settled({ events, effects }: Decision, { pull }: Judged, refused?: boolean): Decision {
  if (pull === undefined) return { events, effects };
  return { events, effects: [...effects, { type: 'settle_pull', pull, ...(refused && { refused }) }] };
}

/** The question for more rounds, if it is open, has no point any more. */
function judgeAtRest(state: RunState, { at, by, outcome }: Judged): Decision {
  const judged: Decision = {
    events: [{ type: 'run_judged', at, status: outcome, by }],
    effects: [{ type: 'update_status' }],
  };
  const pending = pendingEscalation(state);
  return pending ? closeUnanswered(pending, { at, by }, judged) : judged;
}

/** V-1: people decided while a round was at work. Its work is kept beside the pull request. */
function judgeInRound(state: RunState, { at, by, outcome }: Judged): Decision {
  const how = outcome === 'approved' ? 'merged' : 'closed';
  const reason = `the pull request was ${how} by ${by} while round ${state.revision?.number} was running`;
  const partial = state.revision?.before.finished?.partial ?? true;
  const finished = finishRun({ at, status: outcome, partial, reason, by });
  const pending = pendingEscalation(state);
  return pending ? closeUnanswered(pending, { at, by }, finished) : finished;
}

/** C-6: people wanted the work as it was. More work would go to a branch that nobody looks at any more. */
function endMerged(state: RunState, at: string, by: string): Decision {
  const reason = `Task completed with partial results due to an early merge by ${by}`;
  const finished = finishRun({ at, status: 'approved', partial: true, reason, by });
  const pending = pendingEscalation(state);
  return pending ? closeUnanswered(pending, { at, by }, finished) : finished;
}

/** C-6: a closed pull request is no cancellation, so the run waits until somebody decides. An open question waits already. */
function pauseForClosedPull(state: RunState, { at, by, pull }: Judged): Decision {
  if (pull === undefined || state.closed_pull?.number === pull) return NOTHING;
  const closed: RunEvent = { type: 'pull_request_closed', at, pull, by };
  const what = `pull request was closed by ${by}.`;
  const explain = (title: string, resumeBy: string): Effect => {
    const detail = `${resumeBy} continues with a new pull request, \`/cancel\` ends the run.`;
    return { type: 'reply', reply: { tone: 'waiting', title, detail } };
  };
  if (state.pending || state.paused) {
    const resumeBy = state.pending ? 'The question stays open: an answer' : '`/continue`';
    return { events: [closed], effects: [{ type: 'update_status' }, explain(`The ${what}`, resumeBy)] };
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
      explain(`Paused: the ${what}`, '`/continue`'),
    ],
  };
}

/** The run uses the pull request again, but a paused run stays paused. */
export function recordReopened(state: RunState, input: Extract<Input, { type: 'reopened' }>): Decision {
  const { at, by, pull } = input;
  if (state.closed_pull?.number !== pull) return NOTHING;
  return {
    events: [{ type: 'pull_request_reopened', at, pull, by }],
    effects: [{ type: 'update_status' }],
  };
}
