import { describe, expect, test } from 'vitest';
import { errorAt, PASSING, type Run, type RunOptions, startRun, tests } from '../run-builder.ts';

const WORK = { digest: 'a'.repeat(64), files: 1, problems: [], secrets: [] };
const DONE = { report: { status: 'implemented', summary: 'All done' }, verification: PASSING, work: WORK };
/** Far more than any limit below. */
const ROUNDS = 40;

const begin = (guards: RunOptions['guards'] = {}) => startRun({ freshVerification: true, guards });

function report(run: Run, verification = tests(4, 5), changeset = run.state.changeset) {
  return run.feed({ type: 'verification', at: run.now(), verification, changeset });
}

/** The job's own checks pass, and nothing of it counts afresh: how many turns until a person is asked. */
function roundsUntilAsked(run: Run, fail: (run: Run) => unknown): number {
  for (let rounds = 1; rounds <= ROUNDS; rounds += 1) {
    run.turn(DONE).park();
    fail(run);
    if (run.state.pending) return rounds;
    run.startJob();
  }
  return ROUNDS;
}

const dropped = (run: Run) => report(run, PASSING, 'b'.repeat(64));

describe('what always fails on a clean checkout', () => {
  test('G-1: the turn limit ends it with a question, which shows the fresh result', () => {
    const run = begin({ max_iterations: 2 });
    expect(roundsUntilAsked(run, report)).toBe(2);
    expect(run.asked).toMatchObject({
      type: 'iteration_limit',
      headline: expect.stringContaining('1 test fails'),
      context: {
        turn: 2,
        failing: ['test 1'],
        last_output: { command: 'npm test', result: expect.stringContaining('on a clean checkout') },
      },
    });
    expect(run.asked.context.pass_rates.map(({ passed }) => passed)).toEqual([5, 5, 4]);
    expect(run.effectTypes).not.toContain('dispatch_job');
    run.say('/continue +1');
    run.startJob();
    expect(roundsUntilAsked(run, report)).toBe(1);
  });

  test('E-2: it counts as a verification, beside that of the job', () => {
    const run = begin({ total_verification_attempts: 6, max_iterations: 'off' });
    expect(roundsUntilAsked(run, report)).toBe(3);
    expect(run.asked).toMatchObject({ type: 'verification_limit', triggers: [{ observed: 6 }] });
    run.say('/continue');
    run.startJob();
    expect(roundsUntilAsked(run, report)).toBe(3);
  });

  test('E-2: with the limits nobody has set it ends too', () => {
    expect(roundsUntilAsked(begin(), report)).toBe(5);
  });

  test('E-7: what blocks from outside is asked about at once', () => {
    const run = begin().turn(DONE).park();
    const blocker = { kind: 'missing_dependency' as const, name: 'libvips' };
    const failing = tests(4, 5, { errors: [errorAt('libvips is missing')] });
    report(run, { ...failing, checks: failing.checks.map((check) => ({ ...check, blocker })) });
    expect(run.asked.type).toBe('external_blocker');
  });

  test('G-9: /skip is about the tests that fail there', () => {
    const run = begin({ max_iterations: 1 }).turn(DONE).park();
    report(run);
    run.say('/skip');
    expect(run.state.known_issues).toMatchObject([{ tests: ['test 1'] }]);
  });

  test('K-10: failed once, mended in the last turn there is: complete without a question', () => {
    const run = begin({ max_iterations: 2, total_verification_attempts: 3 }).turn(DONE).park();
    report(run);
    run.startJob().turn(DONE).park();
    report(run, PASSING);
    expect(run.state).toMatchObject({ status: 'reviewing', escalations: [], finished: { partial: false } });
  });

  test('G-6: a counter that starts again, of which the job has not heard yet, is not asked about twice', () => {
    const run = begin({ total_verification_attempts: 1 }).turn();
    expect(run.asked.type).toBe('verification_limit');
    run.say('/continue');
    run.claim('turn_started', { kind: 'normal', resumed: false });
    run.endTurn(DONE).park();
    report(run);
    expect(run.state.status).toBe('building');
  });

  test('E-8: nobody is asked while the run is paused', () => {
    const run = begin({ max_iterations: 1 }).turn(DONE).park();
    run.say('/pause');
    report(run);
    expect(run.state.pending).toBeUndefined();
    expect(run.state.paused).toBeDefined();
  });
});

describe('R-8: what is always changed after it was examined', () => {
  test('G-1: the turn limit ends it with a question, and the agent is still told', () => {
    const run = begin({ max_iterations: 2 });
    expect(roundsUntilAsked(run, dropped)).toBe(2);
    expect(run.asked.type).toBe('iteration_limit');
    expect(run.effectTypes).not.toContain('dispatch_job');
    run.say('/continue +1');
    expect(run.work.answers.map(({ command, by }) => `${command} ${by}`)).toEqual([
      'guide autobuild',
      'continue rosa',
    ]);
  });

  test('with the limits nobody has set it ends too', () => {
    expect(roundsUntilAsked(begin(), dropped)).toBe(10);
  });
});

describe('K-10: the newest result is the feedback, whatever the clocks say', () => {
  const TEN_MINUTES = 600_000;
  const shifted = (run: Run, ms: number) => new Date(Date.parse(run.now()) + ms).toISOString();
  const failedAfresh = (ms: number) => {
    const run = begin().turn(DONE).park();
    report(run, { ...tests(2, 5), at: shifted(run, ms) });
    return run;
  };

  test.each([0, TEN_MINUTES, -TEN_MINUTES])('the clock of the fresh job is off by %i ms', (ms) => {
    const run = failedAfresh(ms);
    expect(run.work.feedback?.tests?.passed).toBe(2);
    run.startJob().turn({ verification: { ...tests(4, 5), at: run.now() } });
    expect(run.work.feedback?.tests?.passed).toBe(4);
  });

  test.each([TEN_MINUTES, -TEN_MINUTES])('the clock of the job that builds is off by %i ms', (ms) => {
    const run = failedAfresh(0);
    run.startJob().turn({ verification: { ...tests(4, 5), at: shifted(run, ms) } });
    expect(run.work.feedback?.tests?.passed).toBe(4);
  });

  test('a debugging turn has no result of its own: what failed afresh stays the feedback', () => {
    const run = begin({ max_iterations: 1, total_verification_attempts: 2 }).turn(DONE).park();
    report(run, tests(2, 5));
    run.say('/debug');
    run.startJob().turn({ report: { status: 'partial', root_cause_found: true, root_cause: 'A cache' } });
    expect(run.work.feedback?.tests?.passed).toBe(2);
  });
});
