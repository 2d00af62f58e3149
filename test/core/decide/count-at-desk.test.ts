import { describe, expect, test } from 'vitest';
import { only } from '../../guards/guard-events.ts';
import { LyingJob, ROUNDS, UNFINISHED } from '../lying-job.ts';
import { startRun } from '../run-builder.ts';

describe('a job that claims the figures of a first turn for ever', () => {
  test('R-15: complete each time, it is stopped by the limit of verifications', () => {
    const job = new LyingJob();
    expect(job.roundsUntilAsked()).toBe(5);
    expect(job.run.asked).toMatchObject({ type: 'verification_limit', triggers: [{ observed: 10 }] });
    expect(job.run.effectTypes).not.toContain('dispatch_job');
  });

  test('R-15: complete each time, it is stopped by the limit of turns', () => {
    const job = new LyingJob({ total_verification_attempts: 'off' });
    expect(job.roundsUntilAsked()).toBe(10);
    expect(job.run.asked.headline).toContain('10 of 10 turns used');
  });

  test('R-15: guard states that start again do not stop the count of turns', () => {
    const job = new LyingJob({ max_iterations: 4 });
    expect(job.turnsUntilAsked()).toBe(4);
    expect(job.run.asked).toMatchObject({ type: 'iteration_limit', triggers: [{ observed: 4 }] });
  });

  test('R-15: turn numbers only grow, also of turns that never began', () => {
    const job = new LyingJob();
    job.begin();
    job.end(UNFINISHED);
    job.begin();
    job.begin();
    job.end(UNFINISHED);
    job.end(UNFINISHED);
    expect(job.run.state.turns.map(({ turn }) => turn)).toEqual([1, 2, 3]);
    expect(job.run.state.turn).toBe(3);
    expect(job.run.work.turn).toBe(4);
  });

  test('G-6: an answer grants as many turns as it says, and the same limit stops it again', () => {
    const job = new LyingJob({ max_iterations: 4 });
    job.turnsUntilAsked();
    job.run.say('/continue +3');
    expect(job.turnsUntilAsked()).toBe(3);
  });

  test('R-15: it never hears of the answer, and the verifications since then are counted', () => {
    const job = new LyingJob({ total_verification_attempts: 6, max_iterations: 'off' });
    expect(job.roundsUntilAsked()).toBe(3);
    job.run.say('/continue');
    job.run.startJob();
    expect(job.roundsUntilAsked()).toBe(3);
  });

  test('G-6: a claimed number of turns does not make the limit grow past it', () => {
    const job = new LyingJob({ max_iterations: 4 });
    job.begin();
    job.end(UNFINISHED, { max_iterations: { count: 1_000_000 } });
    job.run.say('/continue +2');
    expect(job.run.state.limits).toMatchObject({ max_iterations: 6 });
  });
});

describe('a job that goes around the count', () => {
  test('G-8: a debugging turn that nobody asked for counts as a turn', () => {
    const job = new LyingJob({ max_iterations: 4 });
    expect(job.turnsUntilAsked({ ...UNFINISHED, kind: 'debug' })).toBe(4);
  });

  test('G-8: the debugging turn that a person asked for does not count, and the next one does', () => {
    const job = new LyingJob(only({ max_iterations: 4, total_verification_attempts: 2 }));
    expect(job.turnsUntilAsked()).toBe(2);
    job.run.say('/debug');
    for (const _ of [1, 2]) {
      job.begin('debug');
      job.end({ ...UNFINISHED, kind: 'debug', verification: undefined });
      if (job.run.state.pending) job.run.say('/guide Look at the cart');
    }
    expect(job.run.state.turns.map(({ kind }) => kind)).toEqual(['normal', 'normal', 'debug', 'normal']);
    expect(job.run.state.counted?.turns).toBe(3);
  });

  test('G-6: a claimed time does not make the limit grow past it', () => {
    const job = new LyingJob();
    job.begin();
    const claimed = { max_runtime: { active_ms: 6e13, since_ms: 0 } };
    job.end(UNFINISHED, { ...job.run.meter.states(), ...claimed });
    expect(job.run.asked.triggers).toMatchObject([{ guard: 'max_runtime' }]);
    const before = Number(job.run.state.limits.max_runtime);
    job.run.say('/continue');
    expect(job.run.state.limits.max_runtime).toBe(before + 10);
  });

  test('R-15: jobs that hand over and finish no turn are bounded by the limit of turns', () => {
    const job = new LyingJob({ max_iterations: 4 });
    for (const _ of [1, 2, 3]) {
      expect(job.handOver().effects.map(({ type }) => type)).toContain('dispatch_job');
      job.run.startJob();
    }
    job.handOver();
    expect(job.run.effectTypes).not.toContain('dispatch_job');
    expect(job.run.asked.headline).toBe('4 jobs in a row ended before a turn was finished');
    expect(job.run.say('/continue').effects.map(({ type }) => type)).toContain('dispatch_job');
    expect(job.run.startJob().state.counted?.idle_jobs).toBe(0);
  });

  test('R-15: they are bounded also where the number of turns is not', () => {
    const job = new LyingJob({ max_iterations: 'off' });
    for (let jobs = 1; jobs < 10; jobs += 1) {
      expect(job.handOver().effects.map(({ type }) => type)).toContain('dispatch_job');
      job.run.startJob();
    }
    job.handOver();
    expect(job.run.effectTypes).not.toContain('dispatch_job');
    expect(job.run.asked.headline).toBe('10 jobs in a row ended before a turn was finished');
  });

  test('K-7: one turn may take three jobs, however few turns are allowed', () => {
    const run = startRun({ guards: { max_iterations: 1 } }).beginTurn();
    for (const _ of [1, 2]) {
      run.claim('handed_over', { guards: run.meter.states() });
      expect(run.effectTypes).toContain('dispatch_job');
      run.startJob();
    }
  });

  test('R-15: completion that is claimed again during the verification is no further attempt', () => {
    const job = new LyingJob();
    for (let claims = 0; claims < ROUNDS; claims += 1) {
      job.begin();
      job.end();
    }
    expect(job.run.state).toMatchObject({ status: 'building', verifying: 1, turns: [{ turn: 1 }] });
    expect(job.run.state.turn_open).toBe(false);
    expect(job.handOver().effects.map(({ type }) => type)).not.toContain('dispatch_job');
  });

  test('R-15: after the last turn there is no other while the question is open', () => {
    const job = new LyingJob({ max_iterations: 4 });
    job.turnsUntilAsked();
    job.begin();
    job.end(UNFINISHED);
    job.end(UNFINISHED);
    expect(job.run.state.turns).toHaveLength(4);
  });
});
