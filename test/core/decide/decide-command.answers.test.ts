import { describe, expect, test } from 'vitest';
import type { GuardEvent } from '../../../src/core/contracts/guard.ts';
import { tripped } from '../../../src/guards/observe.ts';
import { action, clock, only } from '../../guards/guard-events.ts';
import { errorAt, PASSING, type Run, startRun, tests } from '../run-builder.ts';

const fails = (message = 'TypeError: x is not a function') => tests(3, 5, { errors: [errorAt(message)] });

/** Three turns with the same error. */
function repeatedError(): Run {
  const run = startRun({ guards: only({ same_error_repeated: 3 }) });
  return run.turns(3, { verification: fails(), report: { status: 'partial', summary: 'Tried a thing' } });
}

function iterationLimit(more = {}): Run {
  return startRun({ guards: only({ max_iterations: 2, ...more }) }).turns(2, {
    report: { status: 'partial', summary: 'Moved the button' },
  });
}

describe('continue', () => {
  test('G-6: the limit grows by what was asked, the agent goes on, and all of it is journalled', () => {
    const run = iterationLimit();
    expect(run.asked).toMatchObject({ type: 'iteration_limit', rearm: ['max_iterations'] });
    run.tick('continue-5');
    expect(run.types).toEqual([
      'response_recorded',
      'escalation_resolved',
      'limits_changed',
      'answer_prepared',
    ]);
    expect(run.state.limits.max_iterations).toBe(7);
    expect(run.state.limits_rev).toBe(2);
    expect(run.work).toMatchObject({ turn: 3, limits_rev: 2, answers: [{ rearm: ['max_iterations'] }] });
    expect(run.work.answers[0]?.instruction).toBe('');
    run.turn();
    expect(run.state.pending).toBeUndefined();
  });

  test('G-6: a new approach is told so, with what was tried', () => {
    const run = iterationLimit();
    run.tick('continue-5-new');
    const [answer] = run.work.answers;
    expect(answer?.instruction).toMatch(/^Try a different approach than previous iterations/);
    expect(answer?.instruction).toContain('turn 2: Moved the button');
    expect(run.work.guidance).toEqual([answer?.instruction]);
  });

  test('G-6: consecutive counters start again at 0', () => {
    const run = repeatedError();
    expect(run.state.metrics.consecutive_same_errors).toBe(3);
    run.say('/retry');
    run.turn({ verification: fails() });
    expect(run.state.pending).toBeUndefined();
    expect(run.state.metrics.consecutive_same_errors).toBe(1);
    run.turns(2, { verification: fails() });
    expect(run.asked.id).toBe('e2');
  });

  test('G-6: every trigger of the question is re-armed, and a limit passed by far grows past what was measured', () => {
    const run = startRun({ guards: only({ max_iterations: 1, max_runtime: 10 }) });
    run.turn({ observed: [clock(35)] });
    expect(run.asked.rearm).toEqual(['max_runtime', 'max_iterations']);
    run.say('/continue +3');
    expect(run.state.limits).toMatchObject({ max_iterations: 4, max_runtime: 45 });
    expect(tripped(run.meter.states(), run.state.limits)).toEqual([]);
  });

  test('G-6: minutes grow the runtime limit', () => {
    const run = startRun({ guards: only({ max_runtime: 60 }) })
      .beginTurn()
      .observe(clock(60));
    run.trip();
    run.tick('continue-10min');
    expect(run.state.limits.max_runtime).toBe(70);
    expect(run.work).toMatchObject({ turn: 1, resumed: true });
  });

  test('G-6: a re-armed counter stays re-armed when the job dies with the answer', () => {
    const run = repeatedError();
    run.say('/guide Use async/await');
    run.beginTurn();
    run.lose();
    expect(run.effectTypes).toContain('dispatch_job');
    run.startJob().beginTurn();
    run.trip();
    expect(run.state.pending).toBeUndefined();
    run.endTurn({ verification: fails() });
    expect(run.state.metrics.consecutive_same_errors).toBe(1);
    // Once the counters show it, the answer is not given a second time.
    run.lose();
    expect(run.work.answers).toEqual([]);
  });
});

describe('accept, skip, cancel', () => {
  test('G-7: accept stops, keeps the state and publishes with the warning', () => {
    const run = iterationLimit();
    run.tick('accept');
    expect(run.state).toMatchObject({
      status: 'reviewing',
      finished: {
        partial: true,
        reason: 'Task completed with partial results due to max_iterations',
        by: 'rosa',
      },
    });
    expect(run.last.effects).toContainEqual({ type: 'publish', ready: true });
    expect(run.escalation('e1').status).toBe('resolved');
    expect(run.state.turns).toHaveLength(2);
  });

  test('G-7: what was accepted is partial even where the checks pass: nobody said it is complete', () => {
    const run = startRun({ guards: only({ max_iterations: 1 }) }).turn({ verification: PASSING });
    run.say('/accept');
    expect(run.state.finished?.partial).toBe(true);
  });

  test('G-9: skip records the failing tests as a known issue and goes on', () => {
    const run = repeatedError();
    run.tick('skip');
    expect(run.state.known_issues).toMatchObject([
      { title: 'TypeError: x is not a function', tests: ['test 1', 'test 2'], checks: [], by: 'rosa' },
    ]);
    expect(run.work.known_issues).toEqual(run.state.known_issues);
    expect(run.work.answers[0]?.instruction).toContain('known issue: TypeError: x is not a function');
  });

  test('G-9: the run completes when only known failures remain, and says it is partial', () => {
    const run = repeatedError();
    run.tick('skip');
    run.turn({ report: { status: 'implemented' }, verification: tests(3, 4, { failing: ['test 2'] }) });
    expect(run.state).toMatchObject({
      status: 'reviewing',
      finished: { partial: true, reason: 'complete except for known issues' },
    });
  });

  test('G-9: a failure nobody skipped keeps the run from completing', () => {
    const run = repeatedError();
    run.tick('skip');
    run.turn({
      report: { status: 'implemented' },
      verification: tests(3, 5, { failing: ['test 2', 'new one'] }),
    });
    expect(run.orders).toMatchObject({ do: 'work', turn: 5 });
  });

  test('G-9: where a check does not name all that fails, the check itself is skipped', () => {
    const many = tests(0, 60, { failing: ['test 1'] });
    const run = startRun({ guards: only({ max_iterations: 1 }) }).turn({ verification: many });
    run.say('/skip');
    expect(run.state.known_issues).toMatchObject([{ tests: [], checks: ['npm test'] }]);
    run.turn({ report: { status: 'implemented' }, verification: many });
    expect(run.state.status).toBe('reviewing');
  });

  test('G-10: review shows the history and leaves the question open', () => {
    const run = repeatedError();
    run.tick('review');
    expect(run.last.effects).toEqual([{ type: 'show_review', escalation: 'e1' }]);
    expect(run.types).toEqual(['response_recorded', 'review_shown']);
    expect(run.asked).toMatchObject({
      id: 'e1',
      status: 'pending',
      responses: [{ response_type: 'review' }],
    });
    expect(run.state.status).toBe('waiting_for_input');
    run.tick('retry');
    expect(run.escalation('e1').status).toBe('resolved');
  });

  test('G-11: cancel stops at once, is journalled, and nothing is published', () => {
    const run = iterationLimit();
    run.tick('cancel');
    expect(run.state).toMatchObject({
      status: 'cancelled',
      finished: { reason: 'cancelled by rosa', by: 'rosa' },
    });
    expect(run.escalation('e1').status).toBe('resolved_with_termination');
    expect(run.effectTypes).toEqual(expect.arrayContaining(['stop_job', 'forget_inputs', 'clear_timer']));
    expect(run.effectTypes).not.toContain('publish');
    expect(run.orders).toEqual({ do: 'stop', status: 'cancelled' });
  });

  test('G-11: a run without a question is cancelled as well', () => {
    const run = startRun().beginTurn();
    run.say('/cancel');
    expect(run.state.status).toBe('cancelled');
    expect(run.types).toEqual(['run_finished']);
  });
});

describe('checkpoint and pause', () => {
  const paused = () => {
    const run = startRun({ guards: only({ max_runtime: 60 }) })
      .beginTurn()
      .observe(clock(95));
    run.trip();
    run.tick('pause');
    return run;
  };

  test('G-12: the question is resolved, the job saves its work, the run waits for /continue', () => {
    const run = paused();
    expect(run.escalation('e1').status).toBe('resolved');
    expect(run.state).toMatchObject({ status: 'waiting_for_input', pending: undefined });
    expect(run.orders).toEqual({ do: 'park' });
    run.park();
    expect(run.timer('reminder:e1')).toEqual({ events: [], effects: [] });
    run.lose();
    expect(run.last).toEqual({ events: [], effects: [] });
    run.say('/continue');
    expect(run.state.status).toBe('building');
    expect(run.effectTypes).toContain('dispatch_job');
    expect(run.startJob().work).toMatchObject({ turn: 1, resumed: true });
  });

  test('G-12: what tripped before the pause is re-armed by the /continue, past what was measured', () => {
    const run = paused().park();
    run.say('/continue');
    expect(run.state.limits.max_runtime).toBe(105);
    run.startJob().beginTurn().observe(clock(96));
    run.trip();
    expect(run.state.pending).toBeUndefined();
  });

  test('G-12: a running turn is paused, and a paused run cannot be paused again', () => {
    const run = startRun().beginTurn();
    run.say('/pause');
    expect(run.orders).toEqual({ do: 'park' });
    // The job's next word does not undo it.
    run.claim('turn_started', { kind: 'normal', resumed: true });
    expect(run.state.status).toBe('waiting_for_input');
    run.say('/pause');
    expect(run.reply).toMatchObject({ tone: 'refused', suggestion: '/continue' });
  });

  test('G-12: /continue of a run that is not paused changes nothing', () => {
    const run = startRun().beginTurn();
    run.say('/continue');
    expect(run.reply?.tone).toBe('refused');
    expect(run.types).toEqual(['command_refused']);
  });
});

describe('debug first', () => {
  const found = {
    status: 'partial',
    root_cause_found: true,
    root_cause: 'The clock is mocked',
    fix: 'Restore it',
  };
  const debugging = () => {
    const run = repeatedError();
    run.tick('debug');
    return run;
  };

  test('G-8: the next turn is a debugging turn with its own instructions', () => {
    const run = debugging();
    expect(run.work).toMatchObject({ kind: 'debug', turn: 3 });
    expect(run.work.answers[0]?.instruction).toMatch(/^Find the root cause of this/);
    expect(run.work.answers[0]?.instruction).toContain('src/login.ts:12');
    expect(run.work.answers[0]).toMatchObject({ ends_turn: true, next_turn: 'debug' });
  });

  test('G-8: a debugging turn is not counted as an iteration', () => {
    const run = startRun({ guards: only({ max_iterations: 2, loop_detected: 1 }) }).turn({
      verification: fails(),
    });
    run.tick('debug');
    run.turn({ report: found, observed: [] });
    expect(run.state.pending).toBeUndefined();
    expect(run.work).toMatchObject({ kind: 'normal', turn: 2 });
    run.turn({ verification: PASSING });
    expect(run.asked).toMatchObject({ type: 'iteration_limit', triggers: [{ observed: 2 }] });
  });

  test('G-8: a root cause goes to the next turn', () => {
    const run = debugging().turn({ report: found, observed: [] });
    expect(run.state.status).toBe('building');
    expect(run.work).toMatchObject({ kind: 'normal', turn: 4, resumed: false });
    expect(run.work.answers[0]?.instruction).toContain('The clock is mocked');
    expect(run.work.answers[0]?.instruction).toContain('Restore it');
  });

  test('G-8: no root cause asks the same question again, linked, with the findings', () => {
    const run = debugging().turn({
      report: { status: 'partial', root_cause_found: false, root_cause: 'Not the clock' },
      observed: [],
    });
    const { options, triggers, type } = run.escalation('e1');
    expect(run.asked).toMatchObject({
      id: 'e2',
      follows: 'e1',
      findings: 'Not the clock',
      options,
      triggers,
      type,
    });
    expect(run.asked.responses).toEqual([]);
    expect(run.escalation('e1').status).toBe('resolved');
    expect(run.effectTypes).toEqual(expect.arrayContaining(['ask', 'notify', 'set_timer']));
  });

  test('E-12: a question that is asked again is reminded of as a new one', () => {
    const asked = startRun({ guards: { max_iterations: 1 } }).turn({ verification: fails() });
    asked.sleep(3600).timer();
    expect(asked.asked.reminded_at).toBeDefined();
    asked.say('/debug');
    asked.turn({ report: { status: 'partial', root_cause_found: false }, observed: [] });
    expect(asked.asked).toMatchObject({ id: 'e2', follows: 'e1', reminders: 0 });
    expect(asked.asked.reminded_at).toBeUndefined();
  });

  test('G-8: `found` without a cause, or no report at all, is not found', () => {
    for (const report of [{ status: 'partial', root_cause_found: true }, undefined]) {
      expect(debugging().turn({ report, observed: [] }).asked.follows).toBe('e1');
    }
  });

  test('G-8: an interrupted turn is taken up again under its number after the debugging turn', () => {
    const failing: GuardEvent[] = Array.from({ length: 3 }, () =>
      action({ ok: false, turn: 2, errors: [errorAt('boom')] }),
    );
    const run = startRun({ guards: only({ same_error_repeated: 3 }) }).turn({ verification: PASSING });
    run.beginTurn().observe(...failing);
    run.trip();
    run.say('/debug');
    expect(run.work).toMatchObject({ turn: 2, kind: 'debug' });
    run.turn({ report: found, observed: [] });
    expect(run.work).toMatchObject({ turn: 2, kind: 'normal', resumed: true });
  });

  test('G-8: the order to debug holds for that turn, also when its job dies, and not for the turns after it', () => {
    const run = debugging();
    const order = run.work.answers[0]?.instruction;
    run.beginTurn().lose();
    run.startJob();
    expect(run.work.guidance).toEqual([order]);
    run.turn({ report: found, observed: [] });
    expect(run.work.guidance).toHaveLength(1);
    expect(run.work.guidance).not.toContain(order);
    expect(run.state.debug).toBeUndefined();
  });

  test('G-8: a hint during a debugging turn leaves it one, an override does not', () => {
    const run = debugging().beginTurn();
    run.say('/guide Look at the clock');
    expect(run.work).toMatchObject({ kind: 'debug', turn: 3 });
    run.say('/override Rewrite it');
    expect(run.work.kind).toBe('normal');
    const early = debugging();
    early.say('/guide Look at the clock');
    expect(early.work.kind).toBe('debug');
  });

  test('G-8: a report that the debugging turn gives is shown with the question it repeats', () => {
    const blocked_report = {
      blocking_issues: [],
      attempts_made: [],
      suggested_alternatives: ['Leave it out'],
      human_action_required: 'Decide',
    };
    const run = debugging().turn({ report: { status: 'partial', blocked_report }, observed: [] });
    expect(run.asked.blocked_report).toEqual(blocked_report);
    run.tick('alternative-1');
    expect(run.work.answers.at(-1)?.instruction).toContain('Leave it out');
  });
});
