import { describe, expect, test } from 'vitest';
import { dispatches, endJob, LOG, neverStarts, refuse } from '../../lost-jobs.ts';
import { LyingJob } from '../../lying-job.ts';
import { Run, startRun } from '../../run-builder.ts';

describe('R-13: a person is asked why no job works', () => {
  test('R-13: three jobs that ended before they began are one question, with the figures, the log and the boxes', () => {
    const run = neverStarts();
    expect(run.types).toEqual(['job_lost', 'escalation_raised']);
    expect(run.effectTypes).toEqual(['ask', 'notify', 'update_status', 'set_timer']);
    expect(run.state).toMatchObject({ status: 'waiting_for_input', pending: 'e1', job_live: false });
    expect(run.state.paused).toBeUndefined();
    expect(run.asked).toMatchObject({
      type: 'external_blocker',
      category: 'external_dependency',
      priority: 'high',
      headline: 'the job does not start: 3 tries in a row ended before Autobuild began',
      why: 'The last one: the Actions run ended (failure). Usually a set-up step of the workflow fails; fix it first.',
      log_url: LOG,
      triggers: [{ guard: 'lost_jobs', kind: 'blocker_type', threshold: 3, observed: 3 }],
      during_turn: false,
    });
    expect(run.asked.options.map(({ command }) => command)).toEqual([
      '/continue',
      '/pause',
      '/review',
      '/cancel',
    ]);
  });

  test('G-7: turns that have ended can be accepted', () => {
    const run = startRun().turn().park();
    expect(neverStarts(run).asked.options.map(({ id }) => id)).toContain('accept');
  });

  test('R-13: jobs that died at work are told as such, also if only the last one did not begin', () => {
    const died = startRun().beginTurn();
    endJob(died);
    died.startJob().beginTurn();
    endJob(died);
    const mixed = structuredClone(died.state);
    died.startJob().beginTurn();
    endJob(died);
    expect(died.asked).toMatchObject({
      headline: '3 jobs in a row ended before a turn was finished',
      why: 'The last one: the Actions run ended (failure). The next one would probably end the same way, so look for the cause first.',
    });
    died.state = mixed;
    endJob(died);
    expect(died.asked).toMatchObject({
      headline: '3 jobs in a row ended before a turn was finished',
      why: expect.stringContaining('Usually a set-up step'),
    });
  });

  test('R-13: a job that GitHub refuses to start is asked about in the words of the refusal', () => {
    const run = new Run();
    refuse(run, {
      title: 'The job cannot be started: the App lacks `actions: write`.',
      detail: 'Grant it, then reply `/continue`.',
    });
    expect(run.effectTypes).toEqual(['stop_job', 'ask', 'notify', 'update_status', 'set_timer']);
    expect(run.asked).toMatchObject({
      headline: 'the job cannot be started: the App lacks `actions: write`',
      why: 'Grant it, then reply `/continue`.',
      triggers: [{ guard: 'refused_job', threshold: null }],
    });
    expect(run.asked.log_url).toBeUndefined();
  });

  test('R-13: so is one for which the desk has no words', () => {
    const run = new Run();
    refuse(run);
    expect(run.asked.headline).toBe('GitHub does not start the job');
  });

  test('R-15: jobs that finish no turn are asked about', () => {
    const job = new LyingJob({ max_iterations: 4 });
    for (let jobs = 1; jobs < 4; jobs += 1) {
      job.handOver();
      job.run.startJob();
    }
    job.handOver();
    expect(job.run.asked).toMatchObject({
      headline: '4 jobs in a row ended before a turn was finished',
      why: expect.stringContaining('`timeout-minutes`'),
      triggers: [{ guard: 'idle_jobs', threshold: 4, observed: 4 }],
    });
  });

  test('S-17: a ticket that was used twice is asked about, with the log of its Actions run', () => {
    const run = new Run();
    const at = run.now();
    run.feed({ type: 'ticket_claimed_twice', at, job: 1, kind: 'build', actions_run: 7, log_url: LOG });
    expect(run.effectTypes).toEqual(['stop_job', 'ask', 'notify', 'update_status', 'set_timer']);
    expect(run.asked).toMatchObject({
      headline: 'the ticket of job 1 was used twice, so both users are locked out',
      why: expect.stringContaining('Look at the workflow file and the log first.'),
      log_url: LOG,
      triggers: [{ guard: 'ticket_used_twice' }],
    });
  });

  test('R-13: a question that is open already stays as it is', () => {
    const run = startRun().beginTurn().askForHelp([{}]).park();
    for (let lost = 0; lost < 5; lost += 1) endJob(run);
    refuse(run, { title: 'No.', detail: '' });
    expect(run.state.escalations).toHaveLength(1);
    expect(run.state.pending).toBe('e1');
  });

  test('R-13: somebody who presses Cancel in Actions is not asked, because they know', () => {
    const run = startRun().beginTurn();
    endJob(run, { cancelled: true });
    expect(run.state.pending).toBeUndefined();
    expect(run.state.paused).toBeDefined();
  });

  test('R-13: a job that begins while people are asked saves its work and ends, and nothing follows it', () => {
    const run = neverStarts();
    run.startJob();
    expect(run.orders).toEqual({ do: 'park' });
    run.park();
    expect(dispatches(run)).toBe(0);
    expect(run.state).toMatchObject({ pending: 'e1', job_live: false });
    run.startJob();
    endJob(run);
    expect(dispatches(run)).toBe(0);
    expect(run.state).toMatchObject({ pending: 'e1' });
  });
});
