import type { Effect } from '../../contracts/effect.ts';
import type { Input } from '../../contracts/input.ts';
import type { Rules } from '../../contracts/rules.ts';
import type { RunEvent } from '../../contracts/run-event.ts';
import { isUnderWay, phaseOf, type RunState } from '../../contracts/run-state.ts';
import { type Decision, NOTHING } from '../decision.ts';
import { evolve } from '../evolve.ts';
import { askAboutJobs } from './ask-about-jobs.ts';
import { isAwaited, neededJob } from './end-job.ts';

type ClaimedTwice = Extract<Input, { type: 'ticket_claimed_twice' }>;

const REASON = 'its ticket was used twice';

/** S-17: which of the two is the job cannot be told, so the run waits for a person who looks at the workflow. */
export function pauseClaimedTwice(state: RunState, claimed: ClaimedTwice, rules: Rules): Decision {
  if (!isUnderWay(state)) return NOTHING;
  const concerns = claimed.kind === 'verify' ? isAwaited(state, claimed) : claimed.job === neededJob(state);
  if (!concerns) return NOTHING;
  const { at } = claimed;
  const lost: RunEvent[] =
    claimed.kind === 'build' && state.job_live ? [{ type: 'job_lost', at, reason: REASON }] : [];
  // The run waits for a person already, who answers the open question or continues the paused run.
  if (phaseOf(state) === 'waiting')
    return { events: lost, effects: [{ type: 'stop_job' }, tell(claimed), { type: 'update_status' }] };
  const { job, log_url } = claimed;
  const asked = askAboutJobs(
    lost.reduce(evolve, state),
    {
      at,
      headline: `the ticket of job ${job} was used twice, so both users are locked out`,
      why: `${WHO_READS_IT} Look at the workflow file and the log first. The next job gets a new ticket.`,
      log_url,
      trigger: { guard: 'ticket_used_twice', threshold: null, observed: 2 },
    },
    rules,
  );
  return { events: [...lost, ...asked.events], effects: [{ type: 'stop_job' }, ...asked.effects] };
}

const WHO_READS_IT =
  'Something besides the job could read it: another App or webhook that gets `workflow_dispatch`, a step or action that runs before Autobuild, or a person with access to the runner.';

function tell({ job, actions_run }: ClaimedTwice): Effect {
  return {
    type: 'reply',
    log: actions_run,
    reply: {
      tone: 'waiting',
      title: `The ticket of job ${job} was used twice, so both users are locked out.`,
      detail: `${WHO_READS_IT} A maintainer should look at the workflow file and the log first. Then the next answer starts a new job with a new ticket, and \`/cancel\` ends the run.`,
    },
  };
}
