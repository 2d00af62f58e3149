import { describe, expect, test } from 'vitest';
import { Input } from '../../../src/core/contracts/input.ts';
import { decide } from '../../../src/core/decide/decide.ts';
import { briefFor } from '../../../src/core/decide/orders/brief-for.ts';
import { RULES } from '../../../src/guards/rules.ts';
import { action, only } from '../../guards/guard-events.ts';
import { errorAt, PASSING, Run, startRun, tests, USAGE } from '../run-builder.ts';

const NOTHING = { events: [], effects: [] };
const failing = tests(3, 5, { errors: [errorAt('boom')] });

/** One error away from the limit of two, then over it. */
function onTheBrink(): Run {
  const run = startRun({ guards: only({ same_error_repeated: 2 }) }).turn({ verification: failing });
  return run.beginTurn().observe(action({ ok: false, turn: 2, errors: [errorAt('boom')] }));
}

describe('claims of a job', () => {
  test('a trip under the present limits is believed after the desk has looked itself', () => {
    const run = onTheBrink();
    run.trip();
    expect(run.asked).toMatchObject({ type: 'repeated_error', during_turn: true });
    const calm = startRun().beginTurn();
    expect(calm.trip()).toEqual(NOTHING);
  });

  test('a trip under older limits is void where the guard was re-armed since', () => {
    const run = onTheBrink();
    run.trip();
    const stale = run.meter.measured();
    run.say('/retry');
    expect(run.claim('tripped', { usage: USAGE, measured: stale }, { limits_rev: 1 })).toEqual(NOTHING);
    run.take();
    run.observe(...[1, 2].map(() => action({ ok: false, turn: 2, errors: [errorAt('boom')] })));
    run.trip();
    expect(run.asked.id).toBe('e2');
  });

  test('a trip under older limits is void where the limit grew since', () => {
    const run = startRun({ guards: only({ max_iterations: 1 }) }).turn();
    const stale = run.meter.measured();
    run.say('/continue +5');
    expect(run.claim('tripped', { usage: USAGE, measured: stale }, { limits_rev: 1 })).toEqual(NOTHING);
  });

  test.each([
    ['an old fence', { fence: 0 }],
    ['a fence nobody was given', { fence: 7 }],
    ['an unknown protocol', { protocol: 99 }],
    ['another run', { run: 'r2' }],
    ['an unknown type', { type: 'sang_a_song' }],
    ['data that does not fit', { data: { usage: 1 } }],
  ])('a claim with %s does nothing', (_title, changes) => {
    expect(onTheBrink().trip(changes)).toEqual(NOTHING);
  });

  test('G-5: what a stopped turn has used and changed so far is what the run shows; a job that says nothing of it changes nothing', () => {
    const run = onTheBrink();
    run.trip();
    const { changes: before, usage } = run.state;
    expect(run.claim('agent_frozen', { escalation: 'e1', processes: 1, ms: 1 }).effects).toEqual([]);
    expect(run.state.changes).toEqual(before);
    const frozen = { paths: ['a.ts', 'b.ts'], added: 9, removed: 1 };
    const { effects } = run.claim('agent_frozen', {
      escalation: 'e1',
      processes: 1,
      ms: 1,
      changes: frozen,
    });
    expect(effects).toEqual([{ type: 'update_status' }]);
    expect(run.state.changes).toEqual(frozen);
    const parked = { paths: ['a.ts'], added: 1, removed: 0 };
    const used = { ...usage, input_tokens: usage.input_tokens + 5 };
    run.claim('parked', { guards: run.meter.states(), changes: parked, usage: used });
    expect(run.state).toMatchObject({ changes: parked, usage: used });
    // A turn's own lines are counted from the end of the one before.
    const { added, removed } = run.state.turns.at(-1)?.changes ?? {};
    expect(briefFor(run.state)).toMatchObject({ changes: parked, lines: { added, removed } });
    run.say('/retry');
    run.startJob();
    run.claim('handed_over', { guards: run.meter.states() });
    expect(run.state).toMatchObject({ changes: parked, usage: used });
  });

  test('a claim of an unknown type can be stored, so that nothing is lost', () => {
    const run = startRun();
    const input = { type: 'claim', envelope: { ...run.envelope('job_started', {}), type: 'new', data: [1] } };
    expect(Input.parse(input)).toEqual(input);
  });

  test('a job must be the next one, and only when none lives', () => {
    const run = startRun();
    expect(run.claim('job_started', {}, { fence: 2 })).toEqual(NOTHING);
    run.lose();
    expect(run.claim('job_started', {}, { fence: 3 })).toEqual(NOTHING);
    expect(run.claim('job_started', {}, { fence: 1 })).toEqual(NOTHING);
    run.startJob();
    expect(run.state).toMatchObject({ jobs: 2, job_live: true });
    expect(run.claim('turn_started', { kind: 'normal', resumed: false }, { fence: 1 })).toEqual(NOTHING);
  });

  test.each([
    ['parked', (run: Run) => run.park().last],
    ['handed over', (run: Run) => run.claim('handed_over', { guards: run.meter.states() })],
    ['was lost', (run: Run) => run.lose().last],
  ])('R-5: of a job that %s no claim counts, until a successor starts', (_title, end) => {
    const run = onTheBrink();
    end(run);
    expect(run.trip()).toEqual(NOTHING);
    expect(run.endTurn({ report: { status: 'implemented' }, verification: PASSING }).last).toEqual(NOTHING);
    expect(run.claim('turn_started', { kind: 'normal', resumed: false }, { turn: 9 })).toEqual(NOTHING);
    expect(run.claim('parked', { guards: {} })).toEqual(NOTHING);
    expect(run.startJob().state).toMatchObject({ jobs: 2, job_live: true });
  });

  test('G-1: turn numbers are the desk’s, also in the record of a turn', () => {
    const run = startRun().turn().beginTurn();
    const record = run.state.turns[0] ?? expect.fail();
    const later = { ...PASSING, at: '2099-01-01T00:00:00.000Z' };
    run.claim('turn_ended', {
      record: { ...record, turn: 4000, verification: later },
      usage: USAGE,
      measured: run.meter.measured(),
    });
    expect(run.state.turns.map(({ turn }) => turn)).toEqual([1, 2]);
    expect(run.work.turn).toBe(3);
    expect(run.work.feedback?.at).toBe(run.state.updated_at);
  });

  test('once the run has ended no claim changes it', () => {
    const run = onTheBrink();
    run.say('/cancel');
    expect(run.trip()).toEqual(NOTHING);
    expect(run.endTurn().last).toEqual(NOTHING);
    expect(run.park().last).toEqual(NOTHING);
    expect(run.lose().last).toEqual(NOTHING);
  });

  test('answers and freezes nobody knows of are not journalled', () => {
    const run = startRun().beginTurn();
    expect(run.claim('answer_delivered', { answer: 'e1.answer' })).toEqual(NOTHING);
    expect(run.claim('agent_frozen', { escalation: 'e1', processes: 1, ms: 1 })).toEqual(NOTHING);
    run.askForHelp();
    expect(run.claim('agent_frozen', { escalation: 'e1', processes: 3, ms: 12 }).events).toMatchObject([
      { type: 'agent_frozen', processes: 3 },
    ]);
  });

  test('P-2: every pending escalation pauses: the job waits, whoever asks and however often', () => {
    const run = startRun().beginTurn().askForHelp();
    for (let asked = 0; asked < 3; asked += 1) expect(run.orders).toEqual({ do: 'wait', escalation: 'e1' });
  });

  test('K-7: a job near its time limit hands over: same run, counters kept, successor dispatched', () => {
    const run = startRun({ guards: only({ same_error_repeated: 3 }) }).turns(2, { verification: failing });
    run.claim('handed_over', { guards: run.meter.states(), handoff_path: 'HANDOFF.md' });
    expect(run.effectTypes).toEqual(['dispatch_job', 'update_status']);
    run.startJob();
    expect(run.brief).toMatchObject({ job: 2, turn: 2, pass_rates: [{ turn: 1 }, { turn: 2 }] });
    expect(run.work).toMatchObject({ turn: 3, handoff_path: 'HANDOFF.md' });
    run.turn({ verification: failing });
    expect(run.asked.type).toBe('repeated_error');
  });

  test('K-7: no successor is dispatched while a person is asked', () => {
    const run = startRun().beginTurn().askForHelp();
    run.claim('handed_over', { guards: run.meter.states() });
    expect(run.effectTypes).not.toContain('dispatch_job');
  });

  test('a lost job is followed by another, in the same turn', () => {
    const run = startRun().turn().beginTurn().lose();
    expect(run.effectTypes).toEqual(['dispatch_job', 'update_status']);
    expect(run.startJob().work).toMatchObject({ turn: 2, resumed: true });
  });

  /** As often as another job is asked for; each begins the turn, and none ends it. */
  function loseJobs(run: Run): number {
    for (let lost = 1; lost <= 20; lost += 1) {
      run.lose('the Actions run ended (failure)');
      if (!run.effectTypes.includes('dispatch_job')) return lost;
      run.startJob().beginTurn();
    }
    return expect.fail('jobs without end');
  }

  test('E-13: jobs that are lost again and again are not replaced for ever, and /continue tries again', () => {
    const run = startRun().turn().beginTurn();
    expect(loseJobs(run)).toBe(3);
    expect(run.types).toEqual(['job_lost', 'escalation_raised']);
    expect(run.state).toMatchObject({ status: 'waiting_for_input', losses: 3 });
    expect(run.asked).toMatchObject({
      headline: '3 jobs in a row ended before a turn was finished',
      why: expect.stringMatching(/^The last one: the Actions run ended \(failure\)\. /),
    });
    expect(run.reply).toBeUndefined();
    run.say('/continue');
    expect(run.effectTypes).toContain('dispatch_job');
    run.startJob().beginTurn();
    expect(loseJobs(run)).toBe(3);
  });

  test('E-13: a finished turn, an answer, and a person who resumes begin the count of lost jobs anew', () => {
    const run = startRun().beginTurn().lose().startJob().beginTurn().lose().startJob();
    expect(run.state.losses).toBe(2);
    run.turn();
    expect(run.state.losses).toBeUndefined();
    run.beginTurn().lose().startJob().beginTurn().lose();
    expect(run.state.losses).toBe(2);
    run
      .startJob()
      .beginTurn()
      .askForHelp([{ key: 'key' }]);
    run.say('/provide key=blue');
    expect(run.state.losses).toBeUndefined();
    for (let killed = 0; killed < 5; killed += 1) {
      run.feed({ type: 'job_lost', at: run.now(), reason: 'the process was gone', resumed: true });
      expect(run.effectTypes).toContain('dispatch_job');
      run.startJob().beginTurn();
    }
  });

  test('a second request for the same run, or anything before the first, does nothing', () => {
    const run = new Run();
    const request = run.commits[0]?.input ?? expect.fail();
    expect(run.feed(request)).toEqual(NOTHING);
    expect(decide(undefined, { type: 'timer', at: run.now(), timer: 'reminder:e1' }, RULES)).toEqual(NOTHING);
  });

  describe('K-10: the checks passed before any work, and no file was changed', () => {
    const NONE = { paths: [], added: 0, removed: 0 };
    const facts = { digest: 'd', files: 0, problems: [], secrets: [] };
    const report = { status: 'implemented', summary: 'It was there already' };
    const began = (guards = {}) => new Run({ guards }).startJob().baseline(PASSING);
    const done = { report, verification: PASSING, changes: NONE, observed: [] };

    test('K-10: it asks for a review instead of being done, and again if the next turn changes nothing either', () => {
      const run = began().turn(done);
      expect(run.asked).toMatchObject({
        type: 'review_required',
        triggers: [{ guard: 'review_required', evidence: { nothing_changed: true } }],
      });
      expect(run.asked.question).toContain('The checks pass without any work and no file was changed');
      run.say('/continue');
      run.turn(done);
      expect(run.asked.id).toBe('e2');
      run.say('/accept');
      expect(run.state).toMatchObject({ status: 'reviewing', finished: { partial: true } });
    });

    test('K-10: a changed file, or checks that did not pass before, is done as ever', () => {
      expect(began().turn({ report, verification: PASSING }).state.status).toBe('reviewing');
      expect(startRun().turn(done).state.status).toBe('reviewing');
      expect(began({ review_required: 'off' }).turn(done).state.status).toBe('reviewing');
    });

    test('K-10: the desk counts the files itself, whatever the job says that it changed', () => {
      const lying = began().turn({ report, verification: PASSING, work: { ...facts, changed: 0 } });
      expect(lying.asked.type).toBe('review_required');
      // Neither the checks before nor a list of files without the files themselves keeps it from asking.
      const nothing = { files: 0, changed: 0, problems: [], secrets: [] };
      const silent = startRun().turn({ report, verification: PASSING, work: nothing });
      expect(silent.asked.triggers).toMatchObject([{ evidence: { missing_work: 1 } }]);
      const modest = began().turn({ ...done, work: { ...facts, changed: 1 } });
      expect(modest.state.status).toBe('reviewing');
    });
  });

  test('a turn that ends while a question is open is recorded and decides nothing', () => {
    const run = startRun().beginTurn().askForHelp();
    run.endTurn({ report: { status: 'implemented' }, verification: PASSING });
    expect(run.types).toEqual(['turn_ended']);
    expect(run.asked.id).toBe('e1');
  });
});
