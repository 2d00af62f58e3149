import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunState } from '../../../../src/core/contracts/run-state.ts';
import { evolve } from '../../../../src/core/decide/evolve.ts';
import { PASSING, Run, startRun, tests } from '../../run-builder.ts';

const DONE = { report: { status: 'implemented', summary: 'All done' }, verification: PASSING };
const GUIDE = '/guide also handle the empty list';
const FORBIDDEN = [{ path: '.github/workflows/ci.yml', why: 'workflow' as const, digest: 'd1' }];

const verify = (run: Run, verification = PASSING) =>
  run.feed({ type: 'verification', at: run.now(), verification, changeset: run.state.changeset });
const verifying = () => startRun({ freshVerification: true }).turn(DONE).park();

describe('E-11: what a person said during the last turn', () => {
  test.each([
    { freshVerification: false, text: GUIDE },
    { freshVerification: true, text: GUIDE },
    { freshVerification: false, text: '/override use a list instead' },
  ])(
    '$text, fresh verification $freshVerification: one more turn has it, then the run is complete',
    (given) => {
      const run = startRun({ freshVerification: given.freshVerification }).beginTurn();
      run.say(given.text);
      expect(run.reply?.tone).toBe('taken');
      run.endTurn(DONE);
      expect(run.state.status).toBe('building');
      expect(run.work).toMatchObject({ turn: 2, answers: [{ id: 'steer.2' }] });
      run.turn(DONE);
      if (given.freshVerification) verify(run);
      expect(run.state).toMatchObject({ status: 'reviewing', finished: { partial: false } });
    },
  );

  test('the agent was told while it worked: the turn counts', () => {
    const run = startRun().beginTurn();
    run.say(GUIDE);
    run.claim('answer_delivered', { answer: 'steer.2' });
    run.endTurn(DONE);
    expect(run.state.status).toBe('reviewing');
  });

  test('at the turn limit it is asked about, as any other turn too many, and stays to be said', () => {
    const run = startRun({ guards: { max_iterations: 1 } }).beginTurn();
    run.say(GUIDE);
    run.endTurn(DONE);
    expect(run.asked.type).toBe('iteration_limit');
    run.say('/continue +1');
    expect(run.work.answers.map(({ command }) => command)).toEqual(['guide', 'continue']);
  });

  test('the player gives up (K-4) without having heard it: it hears it first', () => {
    const failed = { report: { status: 'failed', errors: [{ type: 'other', message: 'No way' }] } };
    const run = startRun().beginTurn();
    run.say(GUIDE);
    run.endTurn(failed);
    expect(run.work.turn).toBe(2);
    run.turn(failed);
    expect(run.state.status).toBe('failed');
  });

  test('nobody is asked to approve work that is not the last', () => {
    const run = startRun().beginTurn();
    run.say(GUIDE);
    run.endTurn({ ...DONE, work: { digest: 'd', files: 1, problems: FORBIDDEN, secrets: [] } });
    expect(run.state.escalations).toEqual([]);
    expect(run.work.turn).toBe(2);
  });
});

describe('E-11: what a person says while a fresh job verifies', () => {
  test.each([GUIDE, '/override use a list instead'])('%s', (text) => {
    const run = verifying();
    run.say(text);
    expect(run.reply).toMatchObject({ tone: 'taken', detail: expect.stringContaining('one more turn') });
    expect(run.effectTypes).toEqual([
      'publish',
      'update_status',
      'reply',
      'stop_verification',
      'dispatch_job',
    ]);
    expect(run.work).toMatchObject({ turn: 2, answers: [{ id: 'steer.2' }] });
    expect(verify(run).events).toEqual([]);
    run.startJob().turn(DONE);
    expect(run.state).toMatchObject({ verifying: 1, answers: [] });
    verify(run);
    expect(run.state).toMatchObject({ status: 'reviewing', finished: { partial: false } });
  });

  test('before the job that built has left: it parks, and a successor comes', () => {
    const run = startRun({ freshVerification: true }).turn(DONE);
    run.say(GUIDE);
    expect(run.effectTypes).not.toContain('dispatch_job');
    run.park();
    expect(run.effectTypes).toContain('dispatch_job');
  });

  test('/pause and /continue tell the agent nothing: the result counts', () => {
    const run = verifying();
    run.say('/pause');
    run.say('/continue');
    expect(run.effectTypes).not.toContain('stop_verification');
    verify(run);
    expect(run.state.status).toBe('reviewing');
  });

  test.each(['/approve files=90', '/approve paths=.github/**'])(
    '%s allows more: the result counts',
    (text) => {
      const run = verifying();
      run.say(text);
      expect(run.reply).toEqual({ tone: 'taken', title: 'Approved.' });
      expect(run.effectTypes).not.toContain('stop_verification');
      expect(run.state.verifying).toBe(1);
      verify(run);
      expect(run.state).toMatchObject({ status: 'reviewing', finished: { partial: false } });
    },
  );

  test('/continue agent=other: the other one gets its turn', () => {
    const run = verifying();
    run.say('/pause');
    run.say('/continue agent=other');
    expect(verify(run).events).toEqual([]);
    expect(run.work).toMatchObject({ agent: 'other', turn: 2 });
  });

  test('/approve that was all the work waited for is not said to anybody: the result counts', () => {
    const work = { digest: 'd', files: 1, problems: FORBIDDEN, secrets: [] };
    const run = startRun({ freshVerification: true }).turn({ ...DONE, work });
    run.say('/approve');
    verify(run.park());
    expect(run.state.status).toBe('reviewing');
  });
});

test('E-11: whatever happens, a run is complete only when all that people told the agent was heard', () => {
  type Step = (run: Run) => unknown;
  const says = [GUIDE, '/override do it otherwise', '/approve files=90', '/pause', '/continue'];
  const begin: Step = (run) => run.orders.do === 'work' && !run.state.turn_open && run.beginTurn();
  const end: Step = (run) => run.state.turn_open && run.endTurn(DONE);
  const start: Step = (run) => !run.state.job_live && run.startJob();
  const steps: Step[] = [
    ...says.map(
      (text): Step =>
        (run) =>
          run.say(text),
    ),
    begin,
    begin,
    end,
    end,
    start,
    start,
    (run) => run.state.turn_open && run.endTurn({ verification: tests(3, 5) }),
    (run) => verify(run),
    (run) => verify(run, tests(4, 5)),
    (run) => run.park(),
    (run) => run.lose(),
  ];
  let ends = 0;
  let told = 0;
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.array(fc.constantFrom(...steps), { minLength: 20, maxLength: 40 }),
      (freshVerification, story) => {
        const run = new Run({ freshVerification }).startJob().baseline();
        for (const step of story) step(run);
        let state: RunState | undefined;
        for (const event of run.events) {
          if (event.type === 'run_finished' && !event.by) {
            const left = state?.answers.filter(
              ({ command }) => command === 'guide' || command === 'override',
            );
            expect(left).toEqual([]);
            ends += 1;
            told += Math.min(1, state?.guidance.length ?? 0);
          }
          state = evolve(state, event);
        }
      },
    ),
    { numRuns: 300 },
  );
  expect(Math.min(ends, told)).toBeGreaterThan(20);
});
