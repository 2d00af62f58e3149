import type { Effect } from '../../contracts/effect.ts';
import type { Input } from '../../contracts/input.ts';
import type { RunEvent } from '../../contracts/run-event.ts';
import { isUnderWay, phaseOf, type RunState } from '../../contracts/run-state.ts';
import { type Decision, NOTHING } from '../decision.ts';
import { isAwaited, neededJob, pause } from './end-job.ts';

type ClaimedTwice = Extract<Input, { type: 'ticket_claimed_twice' }>;

const REASON = 'its ticket was used twice';

/** S-17: which of the two is the job cannot be told, so the run waits for a person who looks at the workflow. */
export function pauseClaimedTwice(state: RunState, claimed: ClaimedTwice): Decision {
  if (!isUnderWay(state)) return NOTHING;
  const concerns = claimed.kind === 'verify' ? isAwaited(state, claimed) : claimed.job === neededJob(state);
  if (!concerns) return NOTHING;
  const { at } = claimed;
  const lost: RunEvent[] =
    claimed.kind === 'build' && state.job_live ? [{ type: 'job_lost', at, reason: REASON }] : [];
  const waits = phaseOf(state) === 'waiting';
  const said = explain(claimed, waits);
  if (!waits) return pause(state, at, lost, [said]);
  // The run waits for a person already, who answers the open question or continues the paused run.
  return { events: lost, effects: [{ type: 'stop_job' }, said, { type: 'update_status' }] };
}

function explain({ job, actions_run }: ClaimedTwice, waits: boolean): Effect {
  const title = `The ticket of job ${job} was used twice, so both users are locked out.`;
  return {
    type: 'reply',
    log: actions_run,
    reply: {
      tone: 'waiting',
      title: waits ? title : `Paused: ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
      detail: [
        'Something besides the job could read it: another App or webhook that gets `workflow_dispatch`, a step or action',
        'that runs before Autobuild, or a person with access to the runner. A maintainer should look at the workflow file',
        'and the log first. Then',
        waits ? 'the next answer' : '`/continue`',
        'starts a new job with a new ticket, and `/cancel` ends the run.',
      ].join(' '),
    },
  };
}
