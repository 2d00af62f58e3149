import { describe, expect, test } from 'vitest';
import { verificationName } from '../../../src/core/contracts/run-state.ts';
import { PASSING, startRun, tests } from '../run-builder.ts';

const implemented = { status: 'implemented', summary: 'All done' };

/** Complete by the job's own checks; the fresh job has not reported yet. */
function claimedComplete() {
  return startRun({ freshVerification: true }).turn({ report: implemented, verification: PASSING });
}

describe('a fresh job has the last word', () => {
  test('K-10: the job alone cannot complete a run on GitHub: a fresh job is asked, and the job ends', () => {
    const run = claimedComplete();
    expect(run.state).toMatchObject({ status: 'building', verifying: 1 });
    expect(run.last.effects).toContainEqual(expect.objectContaining({ type: 'dispatch_verification' }));
    expect(run.orders).toEqual({ do: 'park' });
  });

  test('K-10: the fresh job agrees: under review', () => {
    const run = claimedComplete();
    run.feed({ type: 'verification', at: run.now(), verification: PASSING });
    expect(run.state).toMatchObject({ status: 'reviewing', finished: { partial: false } });
    expect(run.last.effects).toContainEqual({ type: 'publish', ready: true });
  });

  test('K-10: the fresh job disagrees: its result is the feedback of the next turn, in a new job', () => {
    const run = claimedComplete().park();
    const failing = { ...tests(4, 5), at: '2027-01-01T00:00:00.000Z' };
    run.feed({ type: 'verification', at: run.now(), verification: failing });
    expect(run.state.status).toBe('building');
    expect(run.orders).toMatchObject({ do: 'work', turn: 2, feedback: { ok: false, at: failing.at } });
    expect(run.last.effects).toContainEqual(expect.objectContaining({ type: 'dispatch_job' }));
  });

  test('R-14: work that is being verified is published with the result, or when there will be none', () => {
    const published = (run: ReturnType<typeof claimedComplete>) =>
      run.last.effects.filter(({ type }) => type === 'publish');
    const run = claimedComplete().park();
    expect(published(run)).toEqual([]);
    run.feed({ type: 'verification', at: run.now(), verification: tests(4, 5) });
    expect(published(run)).toEqual([{ type: 'publish', ready: false }]);
    const steered = claimedComplete().park();
    steered.say('/guide Smaller steps');
    expect(published(steered)).toEqual([{ type: 'publish', ready: false }]);
    const passed = claimedComplete().park();
    passed.feed({ type: 'verification', at: passed.now(), verification: PASSING });
    expect(published(passed)).toEqual([{ type: 'publish', ready: true }]);
  });

  test('a fresh job that never reports is tried three times, then people are told it is not verified', () => {
    const run = claimedComplete().park();
    const lose = () => run.feed({ type: 'job_lost', at: run.now(), reason: 'timed out', verifying: true });
    expect(lose().effects).toContainEqual(expect.objectContaining({ type: 'dispatch_verification' }));
    expect(lose().effects).toContainEqual(expect.objectContaining({ type: 'dispatch_verification' }));
    lose();
    expect(run.state).toMatchObject({ status: 'reviewing', finished: { partial: true } });
    expect(run.state.finished?.reason).toContain('not verified on a clean checkout');
    expect(run.state.finished?.lost_verification).toEqual({ reason: 'timed out' });
  });

  test('R-13: after three lost verifications the run knows how the last one ended, and where its log is', () => {
    const lost = { reason: 'the Actions run ended (failure)', log_url: 'https://github.test/log' };
    const end = (run: ReturnType<typeof claimedComplete>, attempt: number) => {
      const verification = verificationName(run.state);
      const { reason: outcome, log_url } = { ...lost, ...(attempt < 3 && { reason: 'x', log_url: 'y' }) };
      const job = run.state.jobs;
      return run.feed({
        ...{ type: 'job_ended', at: run.now(), job, kind: 'verify', verification },
        ...{ outcome, log_url },
      });
    };
    const run = claimedComplete().park();
    for (const attempt of [1, 2, 3]) end(run, attempt);
    expect(run.state.finished?.lost_verification).toEqual(lost);
    const refused = claimedComplete().park();
    for (const attempt of [1, 2]) end(refused, attempt);
    const verification = verificationName(refused.state);
    const job = refused.state.jobs;
    refused.feed({ type: 'dispatch_refused', at: refused.now(), job, kind: 'verify', verification });
    expect(refused.state.finished?.lost_verification).toEqual({ reason: 'GitHub did not start it' });
  });

  test('a verification nobody asked for does nothing', () => {
    const run = startRun({ freshVerification: true }).turn();
    expect(run.feed({ type: 'verification', at: run.now(), verification: PASSING }).events).toEqual([]);
  });

  test('P-3: the pull request decides: approved or rejected, once', () => {
    const run = claimedComplete();
    expect(run.feed({ type: 'judged', at: run.now(), outcome: 'rejected', by: 'rosa' }).events).toEqual([]);
    run.feed({ type: 'verification', at: run.now(), verification: PASSING });
    run.feed({ type: 'judged', at: run.now(), outcome: 'rejected', by: 'rosa' });
    expect(run.state.status).toBe('rejected');
    run.feed({ type: 'judged', at: run.now(), outcome: 'approved', by: 'rosa' });
    expect(run.state.status).toBe('rejected');
  });

  test('C-6: merged before the fresh job has spoken: over, in part, and its word comes too late', () => {
    const run = claimedComplete();
    run.feed({ type: 'judged', at: run.now(), outcome: 'approved', by: 'rosa' });
    expect(run.state).toMatchObject({ status: 'approved', finished: { partial: true, by: 'rosa' } });
    expect(run.orders).toEqual({ do: 'stop', status: 'approved' });
    expect(run.feed({ type: 'verification', at: run.now(), verification: PASSING }).events).toEqual([]);
  });

  test('G-11: cancelled before the fresh job has spoken: its word comes too late', () => {
    const run = claimedComplete();
    run.say('/cancel');
    expect(run.feed({ type: 'verification', at: run.now(), verification: PASSING }).events).toEqual([]);
    expect(run.state.status).toBe('cancelled');
  });
});
