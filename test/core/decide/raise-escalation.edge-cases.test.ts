import { describe, expect, test } from 'vitest';
import { resolutionFigures } from '../../../src/core/analytics.ts';
import type { Escalation } from '../../../src/core/contracts/escalation.ts';
import { action, only } from '../../guards/guard-events.ts';
import { errorAt, Run, startRun, tests } from '../run-builder.ts';
import { ERROR, failing, repeatedError } from '../stuck-runs.ts';

/** After everything that these runs do. */
const LATER = new Date(8.64e15);

describe('edge cases', () => {
  test('E-12: nobody answers: the notification is repeated, each time later, and the question stays open', () => {
    const run = repeatedError();
    const raised = run.asked.created_at;
    const timerAt = () => run.last.effects.find((effect) => effect.type === 'set_timer')?.at ?? '';
    expect(Date.parse(timerAt()) - Date.parse(raised)).toBe(3_600_000);
    for (const number of [1, 2, 3]) {
      run.sleep(3600).timer();
      expect(run.last.effects).toContainEqual({
        type: 'notify',
        escalation: 'e1',
        priority: 'normal',
        reminder: number,
      });
      expect(Date.parse(timerAt()) - Date.parse(run.state.updated_at)).toBe(3_600_000 * 2 ** number);
      expect(run.asked).toMatchObject({ status: 'pending', reminders: number });
    }
    run.say('/retry');
    expect(run.timer('reminder:e1')).toEqual({ events: [], effects: [] });
    run.turns(3, { verification: failing() });
    expect(run.asked.id).toBe('e2');
    expect(run.timer('reminder:e1')).toEqual({ events: [], effects: [] });
  });

  test('E-12: what is urgent is repeated sooner', () => {
    const blocker = { kind: 'permission_denied', resource: '/etc/key', operation: 'read' } as const;
    const run = startRun()
      .beginTurn()
      .observe(action({ ok: false, blocker }));
    run.trip();
    expect(run.last.effects).toContainEqual({
      type: 'notify',
      escalation: 'e1',
      priority: 'high',
      reminder: 0,
    });
    const timer = run.last.effects.find((effect) => effect.type === 'set_timer');
    expect(Date.parse(timer?.at ?? '') - Date.parse(run.asked.created_at)).toBe(600_000);
  });

  test('E-7: an external blocker at the baseline asks before turn 1', () => {
    const blocker = { kind: 'missing_dependency', name: 'left-pad' } as const;
    const verification = tests(0, 1);
    const [check] = verification.checks;
    const run = new Run().startJob();
    run.baseline({ ...verification, checks: check ? [{ ...check, blocker }] : [] });
    expect(run.asked).toMatchObject({ type: 'external_blocker', during_turn: false });
    expect(run.orders.do).toBe('wait');
    run.say('/retry');
    expect(run.work).toMatchObject({ turn: 1, resumed: false });
  });

  test('E-13: the agent dies mid-escalation: the record is kept and a linked question repeats it', () => {
    const run = startRun().beginTurn().askForHelp();
    run.claim('agent_died', { reason: 'killed by SIGKILL' });
    expect(run.escalation('e1').status).toBe('agent_terminated');
    expect(run.types).toEqual(['agent_terminated', 'escalation_raised']);
    const { question, options, triggers, what_i_need } = run.escalation('e1');
    expect(run.asked).toMatchObject({ id: 'e2', follows: 'e1', question, options, triggers, what_i_need });
    expect(run.last.effects).toContainEqual({ type: 'close_question', escalation: 'e1' });
    expect(run.last.effects).toContainEqual({ type: 'ask', escalation: 'e2' });
    run.say('/guide x');
    expect(run.escalation('e2').status).toBe('resolved');
    expect(run.work).toMatchObject({ turn: 1, resumed: true });
  });

  test('E-13: a job found dead counts as the agent dying, and waits for the answer', () => {
    const run = startRun().beginTurn().askForHelp();
    run.lose();
    expect(run.asked.follows).toBe('e1');
    expect(run.effectTypes).not.toContain('dispatch_job');
    run.say('/guide x');
    expect(run.effectTypes).toContain('dispatch_job');
  });

  test('E-13: parking is planned, not a death', () => {
    const run = startRun().beginTurn().askForHelp().park();
    expect(run.asked).toMatchObject({ id: 'e1', status: 'pending' });
    run.lose();
    expect(run.asked.id).toBe('e1');
  });

  test('E-13: a question between turns has no agent that could die', () => {
    const run = repeatedError();
    run.lose();
    expect(run.asked.id).toBe('e1');
  });

  test('E-13: a late tick on the question that was repeated is sent there', () => {
    const run = startRun().beginTurn().askForHelp();
    run.claim('agent_died', { reason: 'x' });
    run.say('/guide y', { escalation: 'e1' });
    expect(run.reply).toMatchObject({ tone: 'refused', title: expect.stringContaining('e2') });
    expect(run.state.pending).toBe('e2');
  });

  test('E-14: another agent starts with counters at 0, the history is kept', () => {
    const run = repeatedError();
    run.say('/continue agent=other');
    expect(run.state.agent).toBe('other');
    expect(run.work).toMatchObject({ agent: 'other', answers: [{ agent_changed: true, ends_turn: true }] });
    expect(run.state.metrics).toMatchObject({ consecutive_same_errors: 0, attempts_without_file_change: 0 });
    expect(run.state.turns).toHaveLength(3);
    expect(run.state.escalations).toHaveLength(1);
    run.turn({ verification: failing() });
    expect(run.state.metrics.consecutive_same_errors).toBe(1);
    expect(run.state.pending).toBeUndefined();
  });

  test("E-14: the old agent's late trip says nothing about the new one", () => {
    const run = startRun({ guards: only({ max_iterations: 1, same_error_repeated: 2 }) });
    run.turn({ verification: failing() });
    run.say('/continue agent=other');
    run.observe(action({ ok: false, errors: [errorAt(ERROR)] }));
    run.trip();
    expect(run.state.pending).toBeUndefined();
  });

  test('E-14: an unknown agent is refused by name, with a question open or paused', () => {
    const run = repeatedError();
    run.say('/continue agent=nobody');
    const refusal = {
      tone: 'refused',
      title: 'Nothing changed: there is no agent nobody.',
      detail: 'Available: scripted, other.',
      suggestion: '/continue agent=scripted',
    };
    expect(run.reply).toEqual(refusal);
    expect(run.state).toMatchObject({ agent: 'scripted', pending: 'e1' });
    run.say('/pause');
    run.say('/continue agent=nobody');
    expect(run.reply).toEqual(refusal);
    expect(run.state.paused).toBeDefined();
  });

  test('E-14: unclear guidance may lead to a follow-up escalation', () => {
    const run = repeatedError();
    run.say('/guide Do it better');
    run.beginTurn().askForHelp([], 'Better in which way?');
    expect(run.asked).toMatchObject({ id: 'e2', type: 'need_help', what_i_need: 'Better in which way?' });
    expect(run.escalation('e1').status).toBe('resolved');
  });

  test('E-17: everything is in the journal, and the figures say how fast questions are settled', () => {
    const run = repeatedError();
    run.sleep(60).say('/retry');
    run.turns(3, { verification: failing() });
    run.sleep(7200).say('/retry');
    run.turns(3, { verification: failing() });
    expect(resolutionFigures(run.state.escalations, LATER)).toEqual({
      total: 3,
      due: 3,
      resolved: 2,
      resolved_in_time: 1,
      rate: 1 / 3,
      median_ms: expect.closeTo(3_630_000, -4),
      by_type: { repeated_error: 3 },
    });
    expect(resolutionFigures([], LATER)).toMatchObject({ rate: undefined, median_ms: undefined });
    const types = run.events.map((event) => event.type);
    expect(types.filter((type) => type === 'escalation_raised')).toHaveLength(3);
    expect(types.filter((type) => type === 'response_recorded')).toHaveLength(2);
    expect(run.state.waiting_ms).toBeGreaterThan(7_200_000);
  });

  test('E-17: settled at the very hour is in time, a second later is not', () => {
    const settled = (seconds: number) => {
      const resolved_at = new Date(Date.UTC(2026, 10, 16, 9, 0, seconds)).toISOString();
      return {
        type: 'need_help',
        created_at: '2026-11-16T09:00:00.000Z',
        resolved_at,
        responses: [{ timestamp: resolved_at }],
      } as Escalation;
    };
    expect(resolutionFigures([settled(3600)], LATER).resolved_in_time).toBe(1);
    expect(resolutionFigures([settled(3601)], LATER).resolved_in_time).toBe(0);
  });
});
