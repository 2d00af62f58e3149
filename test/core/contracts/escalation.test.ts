import { describe, expect, test } from 'vitest';
import { AgentMetrics, ESCALATION_STATUSES, Response } from '../../../src/core/contracts/escalation.ts';
import { ESCALATION_TYPES, TriggerKind } from '../../../src/core/contracts/guard.ts';
import { RUN_STATUSES } from '../../../src/core/contracts/run-event.ts';
import { tripsOfEveryGuard } from '../../guards/every-guard.ts';
import { action, only } from '../../guards/guard-events.ts';
import { Run, startRun } from '../run-builder.ts';
import { ERROR, failing, repeatedError, tooManyFiles } from '../stuck-runs.ts';

describe('one record for every stop', () => {
  test('E-8: several triggers at once are one escalation that lists them all', () => {
    const run = startRun({ guards: only({ same_error_repeated: 1, max_iterations: 1, loop_detected: 1 }) });
    run.turn({ verification: failing() });
    expect(run.state.escalations).toHaveLength(1);
    expect(run.asked.triggers.map((trigger) => trigger.guard)).toEqual([
      'same_error_repeated',
      'loop_detected',
      'max_iterations',
    ]);
    expect(run.asked.type).toBe('repeated_error');
    expect(run.effects.filter((effect) => effect.type === 'notify')).toHaveLength(1);
    expect(run.asked.options.filter((option) => option.id === 'cancel')).toHaveLength(1);
    expect(run.asked.options.at(-1)?.id).toBe('cancel');
  });

  test('E-9: the record has the type, the criteria, the context, the recent actions and the options', () => {
    const run = startRun({ guards: only({ same_error_repeated: 3 }) }).turns(2, { verification: failing() });
    run.turn({ verification: failing(), observed: [action({ operation: 'npm run build', turn: 3 })] });
    const { type, triggers, context, options } = run.asked;
    expect(type).toBe('repeated_error');
    expect(triggers).toMatchObject([
      { guard: 'same_error_repeated', kind: 'error_count', threshold: 3, observed: 3 },
    ]);
    expect(triggers[0]?.evidence.occurrences).toHaveLength(3);
    expect(triggers[0]?.evidence.occurrences?.[0]).toMatchObject({
      turn: 1,
      error: { message: ERROR, file: 'src/login.ts', line: 12 },
    });
    expect(context).toMatchObject({
      turn: 3,
      baseline: { passed: 3, total: 5 },
      failing: ['test 1', 'test 2'],
    });
    expect(context.recent_actions.map((each) => each.title)).toContain('npm run build');
    expect(context.errors).toHaveLength(3);
    expect(run.brief.task.title).toBe('Add a login page');
    expect(options.map((option) => option.id)).toEqual([
      'retry',
      'debug',
      'skip',
      'accept',
      'review',
      'terminate',
    ]);
  });

  test('E-18: trigger kinds, response fields and metrics by their names', () => {
    expect(TriggerKind.options).toEqual(['error_count', 'attempt_count', 'file_count', 'blocker_type']);
    expect(Object.keys(AgentMetrics.shape)).toEqual([
      'consecutive_same_errors',
      'attempts_without_file_change',
      'test_runs_without_improvement',
      'files_modified_count',
    ]);
    expect(Object.keys(Response.shape)).toEqual(
      expect.arrayContaining(['response_type', 'content', 'timestamp']),
    );
    const typeOf = (text: string, make = repeatedError) => {
      const run = make();
      run.say(text);
      return run.escalation('e1').responses[0];
    };
    expect(typeOf('/guide Try this')).toMatchObject({ response_type: 'guidance', content: 'Try this' });
    expect(typeOf('/override Do that')).toMatchObject({ response_type: 'override', content: 'Do that' });
    expect(typeOf('/terminate')).toMatchObject({ response_type: 'terminate', content: '/terminate' });
    expect(typeOf('/approve files=30 paths=docs/**', tooManyFiles)).toMatchObject({
      response_type: 'approve',
      content: '/approve files=30 paths=docs/**',
    });
    const answer = typeOf('/continue +5 +10min new-approach agent=other');
    expect(answer).toMatchObject({
      response_type: 'continue',
      content: '/continue +5 +10min new-approach agent=other',
      by: 'rosa',
    });
    expect(answer?.timestamp).toMatch(/^2026-11-16T/);
  });

  test('E-19: types and statuses by their names', () => {
    expect(ESCALATION_TYPES).toEqual([
      'repeated_error',
      'verification_limit',
      'progress_stall',
      'scope_drift',
      'external_blocker',
      'iteration_limit',
      'runtime_limit',
      'loop_detected',
      'error_threshold',
      'need_help',
      'review_required',
      'cost_limit',
    ]);
    expect(ESCALATION_STATUSES).toEqual([
      'pending',
      'resolved',
      'resolved_with_override',
      'resolved_with_termination',
      'resolved_with_approval',
      'agent_terminated',
    ]);
  });

  test('E-19: every guard raises an escalation of its own type', () => {
    const raised = tripsOfEveryGuard().map(({ guard, limit, events }) => {
      const run = startRun({ guards: only({ [guard]: limit }) }).beginTurn();
      run.observe(...events);
      run.trip();
      return run.asked.type;
    });
    expect(new Set(raised)).toEqual(new Set(ESCALATION_TYPES));
  });

  test('P-3: the statuses of a run, and how each that belongs here is reached', () => {
    expect(RUN_STATUSES).toEqual([
      'pending',
      'building',
      'waiting_for_input',
      'reviewing',
      'approved',
      'rejected',
      'failed',
      'cancelled',
      'terminated_by_human',
    ]);
    const fresh = new Run();
    expect(fresh.state.status).toBe('pending');
    expect(fresh.startJob().state.status).toBe('building');
    const asked = repeatedError();
    expect(asked.state.status).toBe('waiting_for_input');
    asked.say('/retry');
    expect(asked.state.status).toBe('building');
    const ended = (text: string) => {
      const run = repeatedError();
      run.say(text);
      return run.state.status;
    };
    expect(ended('/accept')).toBe('reviewing');
    expect(ended('/cancel')).toBe('cancelled');
    expect(ended('/terminate')).toBe('terminated_by_human');
    expect(startRun().turn({ report: { status: 'failed' } }).state.status).toBe('failed');
  });
});
