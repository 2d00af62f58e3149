import { describe, expect, test } from 'vitest';
import { attemptWorked, BlockedReport } from '../../../../src/core/contracts/agent/blocked-report.ts';
import { HARD_BLOCKERS, hardBlocker, SOFT_BLOCKERS } from '../../../../src/core/contracts/agent/blockers.ts';
import { hardBlockersOf, readPlayerReport } from '../../../../src/core/contracts/agent/player-report.ts';
import { only, proposed } from '../../../guards/guard-events.ts';
import { PASSING, startRun, tests } from '../../run-builder.ts';

const REPORT = {
  blocking_issues: [
    {
      issue: 'No key',
      location: 'src/mail.ts:3',
      category: 'external_dependency',
      details: 'It answers 401',
    },
  ],
  attempts_made: [{ turn: 1, action: 'Asked the sandbox', result: 'Failed', why_failed: 'Closed' }],
  suggested_alternatives: ['Use the simulator', 'Split the task'],
  human_action_required: 'Create a key',
};

const read = (report: object) => readPlayerReport(JSON.stringify(report));

const answersIn = (...remarks: unknown[]) => {
  const { report, problems } = readPlayerReport(JSON.stringify({ status: 'implemented', remarks }));
  return { remarks: report?.remarks, fields: problems.map(({ field }) => field) };
};

test('V-3: answers to remarks are understood in the spelling that agents use, and are no problem of the report', () => {
  const read = answersIn(
    { id: 'R1', result: 'Fixed', note: 'x' },
    { id: 2, result: ' declined ' },
    { id: 'r3', result: 'QUESTION', note: null },
    { id: ' 04 ', result: 'fixed', note: ['no', 'words'], file: 'a.ts' },
  );
  expect(read).toEqual({
    remarks: [
      { id: 'R1', result: 'fixed', note: 'x' },
      { id: 'R2', result: 'declined', note: '' },
      { id: 'R3', result: 'question', note: '' },
      { id: 'R4', result: 'fixed', note: '' },
    ],
    fields: [],
  });
});

test('V-3: a long note is cut between two characters, and its answer counts', () => {
  const { remarks, fields } = answersIn({ id: 'R1', result: 'declined', note: `a${'😀'.repeat(10_000)}` });
  expect(fields).toEqual([]);
  expect(remarks).toMatchObject([{ id: 'R1', result: 'declined' }]);
  const note = remarks?.[0]?.note ?? '';
  expect(note.length).toBeLessThanOrEqual(2_000);
  expect(note).toMatch(/^a(?:😀)+…$/u);
});

test('V-3: what is no answer is left out and named, and the others count', () => {
  const read = answersIn(
    { id: 'R1', result: 'maybe' },
    'R2 is fixed',
    null,
    { id: {}, result: 'fixed' },
    { id: 'R5', result: 'fixed' },
  );
  expect(read.remarks).toEqual([{ id: 'R5', result: 'fixed', note: '' }]);
  expect(read.fields).toContain('remarks[0].result');
});

describe('blocked reports', () => {
  test.each(['blocking_issues', 'attempts_made', 'suggested_alternatives', 'human_action_required'])(
    'B-3: a blocked report without %s is not one',
    (section) => {
      expect(BlockedReport.safeParse(REPORT).success).toBe(true);
      const { [section]: _, ...rest } = REPORT as Record<string, unknown>;
      const { report, problems } = read({ status: 'blocked', blocked_report: rest });
      expect(report?.blocked_report).toBeUndefined();
      expect(problems).toMatchObject([{ field: `blocked_report.${section}`, value: 'nothing' }]);
    },
  );

  test('B-3: location and why_failed may be left out, the rest of an entry may not', () => {
    const { location: _, ...issue } = REPORT.blocking_issues[0] ?? {};
    const { why_failed: __, ...attempt } = REPORT.attempts_made[0] ?? {};
    const lean = { ...REPORT, blocking_issues: [issue], attempts_made: [attempt] };
    expect(read({ status: 'blocked', blocked_report: lean }).problems).toEqual([]);
    const { details: ___, ...noDetails } = REPORT.blocking_issues[0] ?? {};
    const { problems } = read({
      status: 'blocked',
      blocked_report: { ...REPORT, blocking_issues: [noDetails] },
    });
    expect(problems).toMatchObject([{ field: 'blocked_report.blocking_issues[0].details' }]);
  });

  test('B-4: a category that does not exist is named with its field, its value and what is allowed; the raw report is kept', () => {
    const bad = { ...REPORT, blocking_issues: [{ ...REPORT.blocking_issues[0], category: 'weather' }] };
    const text = JSON.stringify({ status: 'blocked', blocked_report: bad });
    const result = readPlayerReport(text);
    expect(result.problems).toEqual([
      {
        field: 'blocked_report.blocking_issues[0].category',
        value: '"weather"',
        allowed: 'external_dependency, test_failure, architectural, unclear_requirement',
      },
    ]);
    expect(result.raw).toBe(text);
    expect(result.report).toMatchObject({ status: 'blocked' });
    const run = startRun().turn({ report: text });
    expect(run.asked.report_missing).toMatchObject({ kind: 'invalid', raw: text, problems: result.problems });
    expect(run.state.turns[0]?.read?.raw).toBe(text);
  });

  test('B-4: a report that is not JSON at all is shown as it is', () => {
    for (const text of ['I am blocked', '[1]', '"x"', 'null', '']) {
      const result = readPlayerReport(text);
      expect(result.report).toBeUndefined();
      expect(result.problems).toHaveLength(1);
      expect(result.problems[0]?.field).toBe('report');
      expect(result.raw).toBe(text);
    }
    expect(readPlayerReport('x'.repeat(100_000)).raw.length).toBeLessThan(21_000);
  });

  test('B-5: ✓ is for the result "Success" and nothing else', () => {
    const attempt = { turn: 1, action: 'a' };
    expect(attemptWorked({ ...attempt, result: 'Success' })).toBe(true);
    for (const result of ['success', 'Partial', 'Failed', '']) {
      expect(attemptWorked({ ...attempt, result })).toBe(false);
    }
  });

  test('B-5: a report that comes before the limit is kept and shown with the next escalation, once', () => {
    const run = startRun({ guards: only({ max_iterations: 3 }) });
    run.turn({ report: { status: 'partial', blocked_report: REPORT } });
    expect(run.state.pending).toBeUndefined();
    expect(run.work.blocked_report).toEqual(REPORT);
    run.turns(2, { report: { status: 'partial' } });
    expect(run.asked).toMatchObject({ type: 'iteration_limit', blocked_report: REPORT });
    expect(run.asked.report_missing).toBeUndefined();
    expect(run.last.effects).toContainEqual({ type: 'save_blocked_report', report: REPORT });
    expect(run.asked.options.slice(0, 2)).toMatchObject([
      { id: 'alternative-1', label: 'Use the simulator', command: '/override alternative 1' },
      { id: 'alternative-2', label: 'Split the task', command: '/override alternative 2' },
    ]);
    run.say('/continue +2');
    run.turns(2, { report: { status: 'partial' } });
    expect(run.asked.blocked_report).toBeUndefined();
    expect(run.asked.report_missing).toEqual({ kind: 'none', problems: [] });
  });

  test('B-5: `status: blocked` stops at once, with the report', () => {
    const run = startRun().turn({ report: { status: 'blocked', blocked_report: REPORT } });
    expect(run.asked).toMatchObject({ type: 'review_required', blocked_report: REPORT });
    expect(run.state.status).toBe('waiting_for_input');
    expect(run.orders).toEqual({ do: 'wait', escalation: 'e1' });
  });

  test('B-5: an alternative is chosen by its number, and one that is not there is refused', () => {
    const run = startRun().turn({ report: { status: 'blocked', blocked_report: REPORT } });
    run.say('/override alternative 3');
    expect(run.reply).toMatchObject({ tone: 'refused', suggestion: '/override alternative 1' });
    expect(run.state.pending).toBe('e1');
    run.tick('alternative-2');
    expect(run.escalation('e1').status).toBe('resolved_with_override');
    expect(run.work.answers[0]?.instruction).toContain('Split the task');
  });

  test('B-7: without a report at the limit it is said which way there is none', () => {
    const limit = () => startRun({ guards: only({ max_iterations: 1 }) });
    expect(limit().turn().asked.report_missing).toEqual({ kind: 'none', problems: [] });
    expect(limit().turn({ exit: 'killed by SIGKILL' }).asked.report_missing).toEqual({
      kind: 'died',
      problems: [],
      exit: 'killed by SIGKILL',
    });
    const invalid = limit().turn({ report: '{"status": "finished"}' }).asked.report_missing;
    expect(invalid).toMatchObject({
      kind: 'invalid',
      raw: '{"status": "finished"}',
      problems: [{ field: 'status', value: '"finished"', allowed: 'implemented, partial, failed, blocked' }],
    });
  });
});

describe('the blocker taxonomy', () => {
  test('K-1: every field of a report is read', () => {
    const report = {
      status: 'partial',
      summary: 'Half of it',
      errors: [{ type: 'timeout', message: 'slow', recoverable: true, recommendation: 'wait' }],
      partial_progress: {
        stage: 'phase 2',
        details: 'the form',
        phases_completed: 1,
        phases_total: 3,
        handoff_path: 'HANDOFF.md',
      },
      requires_user_review: true,
      review_reason: 'The form has two owners',
      blocked_report: REPORT,
    };
    expect(read(report)).toMatchObject({ report, problems: [], derived_from: [] });
  });

  test.each(['implemented', 'partial', 'failed', 'blocked'])('K-1: %s is a status', (status) => {
    expect(read({ status })).toMatchObject({ report: { status, requires_user_review: false }, problems: [] });
  });

  test('K-1: one bad field does not cost the others, and an unreadable status is never complete', () => {
    const result = read({ status: 'done', summary: 'All of it', errors: 'none' });
    expect(result.report).toMatchObject({ status: 'partial', summary: 'All of it', errors: [] });
    expect(result.problems.map((problem) => problem.field)).toEqual(['status', 'errors']);
    expect(read({ status: 'done', blocked_report: REPORT }).report?.status).toBe('blocked');
  });

  test.each(['timeout', 'context_exhaustion_handoff', 'phase_incomplete', 'mcp_transient'])(
    'K-2: %s goes on by itself',
    (type) => {
      expect(Object.keys(SOFT_BLOCKERS)).toContain(type);
      const run = startRun().turn({ report: { status: 'partial', errors: [{ type, message: 'x' }] } });
      expect(run.orders).toMatchObject({ do: 'work', turn: 2 });
    },
  );

  test('K-2: only the four are soft', () => {
    expect(Object.keys(SOFT_BLOCKERS)).toHaveLength(4);
  });

  test.each([
    'mathematically_false',
    'unresolvable_build_error',
    'invalid_specification',
    'resource_exhausted',
    'strategy_failed',
    'strategy_exhausted',
  ])('K-3: %s stops for review', (type) => {
    const run = startRun().turn({ report: { status: 'partial', errors: [{ type, message: 'It is so' }] } });
    expect(run.asked).toMatchObject({ type: 'review_required', status: 'pending' });
    expect(run.asked.triggers[0]?.evidence).toMatchObject({
      review_reason: 'It is so',
      review_derived: true,
    });
  });

  test('K-3: there are six hard blockers, `strategy_exhausted` is the other name of one', () => {
    expect(Object.keys(HARD_BLOCKERS)).toHaveLength(6);
    expect(hardBlocker('strategy_exhausted')).toBe('strategy_failed');
    for (const type of ['constructor', 'hasOwnProperty', '__proto__', 'timeout', '']) {
      expect(hardBlocker(type)).toBeUndefined();
    }
  });

  test('K-4: fixable by a successor goes on, human judgement asks, neither fails the run', () => {
    expect(startRun().turn({ report: { status: 'partial' } }).orders.do).toBe('work');
    const asked = startRun().turn({
      report: { status: 'partial', requires_user_review: true, review_reason: 'Two owners' },
    });
    expect(asked.orders.do).toBe('wait');
    const failed = startRun().turn({
      report: { status: 'failed', errors: [{ type: 'x', message: 'No way' }] },
    });
    expect(failed.state).toMatchObject({ status: 'failed', finished: { partial: true, reason: 'No way' } });
    expect(failed.orders).toEqual({ do: 'stop', status: 'failed' });
  });

  test('K-5: a hard error sets the flag and says so, unless it is recoverable', () => {
    const hard = { type: 'invalid_specification', message: 'x' };
    expect(read({ status: 'partial', errors: [hard] })).toMatchObject({
      report: { requires_user_review: true },
      derived_from: ['invalid_specification'],
    });
    const recoverable = read({ status: 'partial', errors: [{ ...hard, recoverable: true }] });
    expect(recoverable).toMatchObject({ report: { requires_user_review: false }, derived_from: [] });
    expect(hardBlockersOf(recoverable.report ?? expect.fail())).toEqual([]);
    const flagged = read({
      status: 'partial',
      errors: [hard],
      requires_user_review: true,
      review_reason: 'y',
    });
    expect(flagged.derived_from).toEqual([]);
  });

  test('K-5: a missing review_reason is shown, and the run stops all the same', () => {
    const run = startRun().turn({ report: { status: 'partial', requires_user_review: true } });
    expect(run.asked.type).toBe('review_required');
    expect(run.asked.triggers[0]?.evidence.report_problems).toMatchObject([{ field: 'review_reason' }]);
  });

  test('K-5: a flag or an error that is badly written errs on the side of asking', () => {
    const unreadable = read({ status: 'partial', requires_user_review: 'yes', review_reason: 'x' });
    expect(unreadable).toMatchObject({
      report: { requires_user_review: true },
      problems: [{ field: 'requires_user_review', value: '"yes"' }],
    });
    const slip = read({
      status: 'partial',
      errors: [{ type: 'invalid_specification', message: 7 }, 'junk', { type: 'timeout', message: 'kept' }],
    });
    expect(slip.derived_from).toEqual(['invalid_specification']);
    expect(slip.report?.errors).toEqual([
      { type: 'invalid_specification', message: '' },
      { type: 'timeout', message: 'kept' },
    ]);
    expect(slip.problems.map((problem) => problem.field)).toEqual(['errors[0].message', 'errors[1]']);
  });

  test('K-5: missing_dependency is an external blocker first, review second', () => {
    const errors = [{ type: 'missing_dependency', message: "Cannot find module 'left-pad'" }];
    const run = startRun().turn({ report: { status: 'partial', errors } });
    expect(run.asked.type).toBe('external_blocker');
    expect(run.asked.triggers.map((trigger) => trigger.guard)).toEqual([
      'external_blocker',
      'review_required',
    ]);
    expect(run.asked.priority).toBe('high');
  });

  test('K-6: an old report without the new fields, or with nulls for them, is valid', () => {
    const old = { status: 'partial', errors: [{ type: 'execution', message: 'x', recoverable: true }] };
    expect(read(old)).toMatchObject({ report: { ...old, requires_user_review: false }, problems: [] });
    const nulls = {
      ...old,
      errors: [{ type: 'timeout', message: null, recoverable: null }],
      partial_progress: { stage: null, handoff_path: null },
      requires_user_review: null,
      review_reason: null,
      blocked_report: null,
      root_cause_found: null,
    };
    expect(read(nulls)).toMatchObject({ report: { requires_user_review: false }, problems: [] });
  });

  test('the problems of one report are bounded', () => {
    const attempts = Array.from({ length: 500 }, () => ({ turn: 0 }));
    const { problems } = read({ status: 'blocked', blocked_report: { ...REPORT, attempts_made: attempts } });
    expect(problems).toHaveLength(20);
  });
});

describe('completion', () => {
  const implemented = { status: 'implemented', summary: 'Done' };

  test('K-10: implemented and passing: the run is under review, the work published', () => {
    const run = startRun().turn({ report: implemented, verification: PASSING });
    expect(run.state).toMatchObject({ status: 'reviewing', finished: { partial: false } });
    expect(run.last.effects).toContainEqual({ type: 'publish', ready: true });
    expect(run.effectTypes).toEqual(expect.arrayContaining(['show_receipt', 'forget_inputs', 'stop_job']));
    expect(run.orders).toEqual({ do: 'stop', status: 'reviewing' });
  });

  test('K-10: implemented and failing is feedback for the next turn', () => {
    const run = startRun().turn({ report: implemented, verification: tests(4, 5) });
    expect(run.state.status).toBe('building');
    expect(run.work).toMatchObject({ turn: 2, feedback: { ok: false, tests: { passed: 4, failed: 1 } } });
  });

  test('K-10: passing without the word of the player is not complete', () => {
    const run = startRun().turn({ report: { status: 'partial' }, verification: PASSING });
    expect(run.orders).toMatchObject({ do: 'work', turn: 2 });
    expect(startRun().turn({ verification: PASSING }).orders.do).toBe('work');
  });

  test('K-10: completion wins over a guard that trips at the same moment', () => {
    const run = startRun({ guards: only({ max_iterations: 2 }) }).turn();
    run.turn({ report: implemented, verification: PASSING });
    expect(run.state.status).toBe('reviewing');
    expect(run.state.escalations).toEqual([]);
  });

  test.each(['out_of_scope', 'file_limit', 'gate_bypassed'] as const)(
    'K-10: work that was put back (%s) is asked about first: what is complete lacks it',
    (why) => {
      const run = startRun({ guards: { max_iterations: 1 } }).beginTurn();
      run.observe(proposed('docs/x.md', why, ['a.ts'], ['src/**']));
      run.endTurn({ report: implemented, verification: PASSING });
      expect(run.state).toMatchObject({ status: 'waiting_for_input', pending: 'e1' });
      expect(run.escalation('e1')).toMatchObject({ type: 'scope_drift', during_turn: false });
      expect(run.escalation('e1').triggers).toHaveLength(1);
      run.say('/guide Leave it out');
      run.turn({ report: implemented, verification: PASSING });
      expect(run.state.status).toBe('reviewing');
    },
  );

  test('K-10: no check at all proves nothing', () => {
    const run = startRun().turn({
      report: implemented,
      verification: { ...PASSING, ok: false, checks: [], tests: undefined },
    });
    expect(run.orders.do).toBe('work');
  });

  test('K-8: when review is required nothing goes on by itself, and the question says what to reply', () => {
    const run = startRun().turn({
      report: { status: 'partial', requires_user_review: true, review_reason: 'Two owners' },
    });
    expect(run.asked.question).toContain(
      'USER REVIEW REQUIRED: Two owners. After resolving, reply `/continue`',
    );
    run.timer();
    run.lose();
    run.startJob();
    expect(run.orders).toEqual({ do: 'wait', escalation: 'e1' });
    expect(run.effects.filter((effect) => effect.type === 'dispatch_job')).toHaveLength(1);
    run.say('/continue');
    expect(run.orders).toMatchObject({ do: 'work', turn: 2 });
  });
});
